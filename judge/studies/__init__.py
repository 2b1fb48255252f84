"""The same answers asked twice on purpose: what the differences say.

Every analysis takes columns: the labels of one condition and repetition of a proved run, or of a
verdict file. Columns are matched by what they have in common, so that what differs is one thing.
The item is the unit everywhere: judgments of one item are not independent of each other.

In reading order; each module imports only those before it:

* `columns`      a proved run, or a verdict file, as columns of labels
* `matching`     columns that belong together, items that all of them decide
* `rejudge`      labels given earlier beside labels given now
* `spans`        how far a score moves over templates
* `sensitivity`  the same answers under other templates
* `repeats`      the same question to the same judge again
* `judges`       several judges of the same answers
* `passes`       several answers to the same questions
* `mixed`        new labels for some types, old ones for the rest
* `exclusions`   without the questioned rows of an answer key, and with them granted
* `improvement`  before and after a change: repaired, broken
* `inputs`       billed tokens against those of the prompts
* `prompts`      a run's prompts counted again
* `lengths`      response length by label
* `contrasts`    what the plan said would be compared
* `comparators`  published figures, for orientation
* `whole`        all of them
"""
