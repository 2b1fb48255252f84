"""A diagnosis in, lines of words out; foreign text is not escaped yet."""

from judge.doctor import Compared, Diagnosis, Match

__all__ = ["told"]

_STATES = ("exact", "same words", "changed", "not found")
_MOST = 6


def told(found: Diagnosis) -> str:
    """Return what a file holds: the likest rubric in full, the others in a line each."""
    lines = [f"{found.file}  {found.sha256}"]
    if found.source_of:
        lines.append(f"the pinned source file itself, byte for byte: {', '.join(found.source_of)}")
    if found.compared:
        first, *others = found.compared
        lines += _whole(first, found.cells)
        lines += [f"also like  {_brief(one)}" for one in others[:_MOST]]
    else:
        rest = " of those whose texts are here" if found.unseen else ""
        lines.append(f"holds no text of a known judge, unchanged or changed{rest}")
    if found.unseen:
        lines.append(
            f"by hash only, since their texts are not on this machine: {', '.join(found.unseen)};"
            " a changed copy of theirs goes unseen"
        )
    return "\n".join(lines)


def _whole(one: Compared, cells: tuple[int, ...]) -> list[str]:
    width = max(len(finding.kind) for finding in one.findings) if one.findings else 0
    lines = [f"{one.rubric}: {_verdict(one)}"]
    for state in _STATES:
        names = [_match(match, cells) for match in one.matches if match.state == state]
        lines += [f"  {state:<10}  {', '.join(names)}"] if names else []
    for finding in one.findings:
        at = f"{finding.where} ({_place(finding.line, cells)})" if finding.line else finding.where
        lines.append(f"  {finding.kind:<{width}}  {at}: {finding.said}")
    if one.unfollowed:
        told = ", ".join(_ASPECTS[aspect] for aspect in one.unfollowed if aspect != "texts")
        lines += [f"  not followed in this file: {told}"] if told else []
    return lines


_ASPECTS = {
    "order": "the order in which values are filled in",
    "values": "whether values go in as they are",
    "prompt": "whether the filled prompt is sent as it is",
    "messages": "the messages that are sent",
    "routes": "which question takes which text",
    "settings": "the settings",
    "judge": "the judge's name",
    "parser": "how replies are read",
}


def _place(line: int, cells: tuple[int, ...]) -> str:
    """A line; of a notebook the cell, and the line in it."""
    before = [start for start in cells if start < line]
    return f"cell {len(before)} line {line - before[-1]}" if before else f"line {line}"


def _verdict(one: Compared) -> str:
    if one.official:
        return (
            "the official judge: texts, order of values, prompt, messages, routes, settings, "
            "judge and parser were seen, and are its own"
        )
    if one.official is None:
        return (
            f"all {len(one.matches)} pinned texts, unchanged, and nothing seen to differ; whether "
            "it is the official judge is not established"
        )
    if one.exact == len(one.matches):
        use = "used otherwise" if one.findings else "of an edition that is not the upstream's own"
        return f"all {len(one.matches)} pinned texts, unchanged, {use}"
    by = "" if one.by == "text" else "; by hash only: its texts are not on this machine"
    return f"not the judge as it is pinned: {one.exact} of {len(one.matches)} texts exact{by}"


def _match(match: Match, cells: tuple[int, ...]) -> str:
    if match.line is None:
        return match.name
    alike = (
        f", {match.likeness} % of both texts' runs of four words alike"
        if match.state == "changed"
        else ""
    )
    return f"{match.name} ({_place(match.line, cells)}{alike})"


def _brief(one: Compared) -> str:
    if one.exact == len(one.matches):
        return f"{one.rubric}: all pinned texts, unchanged"
    best = max(match.likeness for match in one.matches)
    exact = f"{one.exact} of {len(one.matches)} texts exact"
    return f"{one.rubric}: {exact}, {best} % at most alike"
