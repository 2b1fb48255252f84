"""One self-contained page of some runs: the claim, what it rests on, and every judgment.

In reading order; each module imports only those before it:

* `texts`     foreign text made safe for a page, JSON made safe inside it
* `claims`    what may be said of a run, first
* `charts`    figures as drawings a page can recolour
* `naming`    the shortest names that tell columns apart
* `details`   every flip and undecided item with all that was said of it
* `browser`   all judgments as compact data
* `methods`   the paragraph a paper needs
* `writing`   the page
"""
