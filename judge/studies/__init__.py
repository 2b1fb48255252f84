"""The same answers asked twice on purpose: what the differences say.

Every analysis takes columns: the labels of one condition and repetition of a proved run, or of a
verdict file. Columns are matched by what they have in common, so that what differs is one thing.
The item is the unit everywhere: judgments of one item are not independent of each other.

In reading order; each module imports only those before it:

* `columns`      a proved run, or a verdict file, as columns of labels
"""
