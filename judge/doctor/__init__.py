"""Somebody's script, notebook or prompt in; which pinned judge it holds, and what differs, out.

In reading order:

    findings     what is reported
    documents    every text in a file with its line, and its code as text
    known        the texts the rubric library knows, and how each is written
    differing    two texts, told apart: words, spaces, fields, labels, closing line, JSON, merged
    calls        settings, judge and parser, as far as code shows them
    naming       which field a name in a program is
    prompts      which expressions of a program are the filled prompt
    requests     what is sent with the prompt, and how a reply is read
    routing      which text each question type takes in a program
    usage        order of values, prompt, messages, routes
    diagnosing   all of it together

Nothing in the file is executed.
"""

from judge.doctor.diagnosing import diagnose
from judge.doctor.findings import Compared, Diagnosis, Finding, Kind, Match

__all__ = ["Compared", "Diagnosis", "Finding", "Kind", "Match", "diagnose"]
