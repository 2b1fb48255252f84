"""Defects planted in runs and in judges, so that whoever installs the harness can see each caught.

In reading order:

    sample     a small sealed run, judged by the embedded rule on shipped questions
    damage     one file of a run with a byte, a line or an end changed
    forging    a run as plain values, chained and sealed again from them
    lines      forged lines: fields, texts, order, cells
    plans      forged plans: rules, conditions, judges, counts
    inputs     forged inputs: items, controls, references, rubrics
    rewriting  a forgery that agrees with itself everywhere: only a published head shows it
    planted    judges that must not pass the gate
    trial      all of them planted, and counted
"""
