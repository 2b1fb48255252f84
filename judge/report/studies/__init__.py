"""One module for each analysis of `judge.studies`: its result in, a `Section` out."""
