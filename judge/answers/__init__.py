"""Saved answers and answer keys read, joined, checked: files in, items out.

* `join` reads every file once, refuses what cannot be judged, with file and line, and gives a
  `Joined`: sets, sources, warnings, and the items and references as streams.
* JSON Lines, JSON documents and CSV, plain or gzip; LongMemEval's own shapes are known by their
  column names, any other by a column map.

Inside, in reading order: `places` `files` `strict` `documents` `rows` (bytes to rows), `values`
`columns` (rows to fields), `spool` `selecting` `key` `intake` (fields to numbered rows),
`joined` `choosing` `joining`.
"""

from judge.answers.joined import Joined
from judge.answers.joining import AnswersFile, ReferencesFile, join

__all__ = ["AnswersFile", "Joined", "ReferencesFile", "join"]
