"""Counts in, typed results out: all that may be said about verdicts.

A result names its definition, carries its inputs, keeps exact numbers exact, and says why where it
has no value. In reading order; each module imports only those before it:

* `exact`           checked counts and levels, rounding half up from exact values
* `extras`          what only some statistics need: numpy, scipy
* `binomial`        tail probabilities
* `proportion`      one count out of another: Wilson, Clopper-Pearson, one-sided bounds
* `pairs`           items judged twice, counted by their ids
* `mcnemar`         do discordant items fall as often on either side: exact, mid-p
* `lattice_fft`     the distribution of a sum of many items (numpy)
* `bootstrap`       the exact percentile interval of a paired difference or a mean
* `difference`      Tango, Newcombe; equivalence and non-inferiority with a margin
* `multiplicity`    Holm, Benjamini-Hochberg
* `power`           the items a paired comparison needs, the power it has
* `controls`        the rows a control batch needs, what a passed gate is worth
* `agreement`       two judges: raw agreement, kappa, weighted kappa, AC1
* `raters`          many judges: Fleiss, Krippendorff, AC1
* `stability`       repetitions: flips by every definition
* `correction`      a rate corrected for the judge's own errors
* `passes`          passes over the same items: stable, flips, half range
* `graded`          mean difference with its exact test, Spearman, Kendall
* `cluster_draws`   the resamples of whole clusters (numpy)
* `clusters`        intervals when items belong together
* `rescue_harm`     runs without and with memory, over all cross pairs
* `token_f1`        overlap of words with the gold answer
"""
