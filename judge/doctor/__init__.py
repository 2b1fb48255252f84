"""Somebody's script, notebook or prompt in; which pinned judge it holds, and what differs, out.

In reading order:

    findings     what is reported
    documents    every text in a file with its line, and its code as text
    known        the texts the rubric library knows, and how each is written
    differing    two texts, told apart: words, spaces, fields, labels, closing line, JSON, merged
    calls        settings, judge and parser, as far as code shows them
    naming       which part of an item a name in a program is
    reaching     which functions may ask a judge
    values       what an expression stands for
    state        what the names of a program stand for while it is played through
    lookups      what is found under a name or key, and put there
    operations   what is made of values
    expressions  any expression
    foreign      a call of what the file does not hold: a request, or not
    calling      any call
    functions    the file's own functions and classes
    playing      a program played through for one item
    sending      one request, held against a rubric
    taking       which text is taken for which items
    usage        all that a program was seen to do with a rubric's texts
    deciding     what of all this is said, and whether it is the official judge
    diagnosing   all of it together

Nothing in the file is executed.
"""

from judge.doctor.diagnosing import diagnose
from judge.doctor.findings import Aspect, Compared, Diagnosis, Finding, Kind, Match

__all__ = ["Aspect", "Compared", "Diagnosis", "Finding", "Kind", "Match", "diagnose"]
