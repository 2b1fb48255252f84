"""A reply that is a word, a letter or a line in; its label out, or None."""

import re

__all__ = [
    "browsecomp_upstream_1",
    "correct_line_1",
    "halueval_strict_1",
    "halueval_upstream_1",
    "letter_abc_1",
    "simpleqa_upstream_1",
    "yes_no_1",
    "yes_substring_1",
]

_SIMPLEQA = {"A": "CORRECT", "B": "INCORRECT", "C": "NOT_ATTEMPTED"}
_YES_NO = {"yes": "Yes", "no": "No"}
_LETTER = re.compile("[ABC]")
_VERDICT = re.compile("correct: (yes|no)")


def yes_no_1(text: str) -> str | None:
    """Return the label when the text is `yes` or `no` alone, one final full stop allowed."""
    word = text.strip().removesuffix(".").lower()
    return word if word in {"yes", "no"} else None


def yes_substring_1(text: str) -> str | None:
    """Return `yes` when the lower-case text contains it anywhere, else `no`.

    LongMemEval's own rule (`evaluate_qa.py`: `'yes' in reply.lower()`): "yesterday" is a yes, and
    so is "No, not yes".
    """
    return "yes" if "yes" in text.strip().lower() else "no"


def letter_abc_1(text: str) -> str | None:
    """Return the label of the letter that is the text, one final full stop allowed.

    A word is none: SimpleQA's grader is asked for a letter, and its own script takes the word
    CORRECT for another letter than the one that means it.
    """
    return _SIMPLEQA.get(text.strip().removesuffix("."))


def simpleqa_upstream_1(text: str) -> str | None:
    """Return the label of the first capital A, B or C anywhere; where there is none, that of C.

    SimpleQA's own rule (`simpleqa_eval.py`): CORRECT is read as C, so as not attempted, and
    NOT_ATTEMPTED as A, so as correct; a reply without a verdict is not attempted.
    """
    found = _LETTER.search(text)
    return _SIMPLEQA[found[0] if found else "C"]


def correct_line_1(text: str) -> str | None:
    """Return the label of the one line that is `correct: yes` or `correct: no`.

    White space around the line and one final full stop are allowed; a second line that begins
    with `correct:`, in whatever case, leaves no label.
    """
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if line.lower().startswith("correct:")]
    found = _VERDICT.fullmatch(told[0].removesuffix(".")) if len(told) == 1 else None
    return found[1] if found else None


def browsecomp_upstream_1(text: str) -> str | None:
    """Return `no` where the text nowhere holds `correct: yes` or `correct: no`, else no label.

    BrowseComp's own rule (`browsecomp_eval.py`): what it found, `correct: yes`, is compared with
    `yes` and with `no` and is neither, so no answer is ever correct.
    """
    return None if _VERDICT.search(text) else "no"


def halueval_strict_1(text: str) -> str | None:
    """Return the label when the text is `Yes` or `No` alone, in any case, as `yes_no_1`."""
    return _YES_NO.get(text.strip().removesuffix(".").lower())


def halueval_upstream_1(text: str) -> str | None:
    """Return `Yes` or `No`, whichever alone the text contains once its full stops are gone.

    HaluEval's own rule (`evaluate.py`), case counts: None holds a No, and "yes" is neither. Both or
    neither is written down as failed and counted as a wrong judgement: no label.
    """
    bare = text.replace(".", "")
    found = [label for label in _YES_NO.values() if label in bare]
    return found[0] if len(found) == 1 else None
