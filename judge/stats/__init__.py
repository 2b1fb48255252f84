"""Counts in, typed results out: all that may be said about verdicts.

In reading order; each module imports only those before it:

* `exact`       checked counts and levels, rounding half up from exact values
* `proportion`  one count out of another: Wilson, Clopper-Pearson, one-sided bounds
"""
