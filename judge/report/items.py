"""Joined items in, a CSV table of them out: one row per item, one column of labels per side."""

from pathlib import Path

from judge.comparing.joining import Joined, Joint, letter
from judge.errors import InputError, StorageError
from judge.tables import csv_line, spreadsheet_safe

__all__ = ["items_csv", "write_items"]


def items_csv(joined: Joined) -> str:
    """Return every joined item: id, type, stratum, the sides' labels, whether they agree.

    `A_accepted` is 1 or 0; `same_answer` is empty where a side does not hold its answers.
    """
    names = [letter(place) for place in range(len(joined.sides))]
    head = ["id", "type", "stratum", *names, *(f"{n}_accepted" for n in names)]
    rows = (csv_line(map(str, _row(joint))) for joint in joined.items)
    return csv_line([*head, "flip", "same_answer"]) + "".join(rows)


def _row(joint: Joint) -> list[object]:
    accepted = [int(verdict.accepted is True) for verdict in joint.verdicts]
    answers = {verdict.answer for verdict in joint.verdicts}
    same = "" if None in answers else int(len(answers) == 1)
    labels = [spreadsheet_safe(verdict.label or "") for verdict in joint.verdicts]
    flip = int(len(set(accepted)) > 1)
    names = map(spreadsheet_safe, (joint.id, joint.type or "", joint.stratum or ""))
    return [*names, *labels, *accepted, flip, same]


def write_items(joined: Joined, path: Path) -> None:
    """Write the table to a new file.

    Raises:
        InputError: the file is there already.
        StorageError: it cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(items_csv(joined))
    except FileExistsError as error:
        raise InputError(f"--csv {path}: is there already; name a new file") from error
    except OSError as error:
        raise StorageError(f"--csv {path}: {error.strerror or error}") from error
