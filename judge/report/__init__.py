"""What may be said about a run, in words: for a terminal, for a program, for a page."""
