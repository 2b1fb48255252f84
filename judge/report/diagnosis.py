"""A diagnosis in, lines of words out; foreign text is not escaped yet."""

from judge.doctor import Aspect, Compared, Diagnosis, Finding, Match

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
        lines += _whole(first, found.file)
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


def _whole(one: Compared, file: str) -> list[str]:
    width = max(len(finding.kind) for finding in one.findings) if one.findings else 0
    lines = [f"{one.rubric}: {_verdict(one)}"]
    for state in _STATES:
        names = [_match(match) for match in one.matches if match.state == state]
        lines += [f"  {state:<10}  {', '.join(names)}"] if names else []
    for finding in one.findings:
        at = f"{finding.where} ({_place(finding)})" if finding.line else finding.where
        lines.append(f"  {finding.kind:<{width}}  {at}: {finding.said}")
    if any(match.line for match in one.matches):
        alike = any(match.state == "changed" for match in one.matches)
        shared = "; alike: runs of four words that both texts share" if alike else ""
        lines.append(f"  names are those of {one.rubric}, lines those of {file}{shared}")
    agreed = [_SEEN[aspect] for aspect in one.agreed]
    lines += [f"  seen to agree: {', '.join(agreed)}"] if agreed and not one.official else []
    unfollowed = [_HOW[aspect] for aspect in one.unfollowed if aspect in _HOW]
    lines += [f"  how {_listed(unfollowed)} is not followed here"] if unfollowed else []
    return lines


_SEEN: dict[Aspect, str] = {
    "texts": "texts",
    "order": "order of values",
    "values": "values",
    "prompt": "prompt",
    "messages": "messages",
    "routes": "routes",
    "settings": "settings",
    "judge": "judge",
    "parser": "parser",
}
_HOW: dict[Aspect, str] = {
    "order": "values are ordered",
    "values": "values are changed",
    "prompt": "the filled prompt is changed",
    "messages": "messages are listed",
    "routes": "texts are chosen",
    "settings": "settings are chosen",
    "judge": "the judge is chosen",
    "parser": "replies are read",
}


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _place(one: Match | Finding) -> str:
    return f"line {one.line}" if one.cell is None else f"code cell {one.cell} line {one.line}"


def _verdict(one: Compared) -> str:
    texts = f"{one.exact} of {len(one.matches)} pinned texts unchanged"
    by = "" if one.by == "text" else "; by hash only: its texts are not on this machine"
    if one.official:
        return (
            "the official judge: texts, order of values, prompt, messages, routes, settings and "
            "parser were seen and are its own; a published judge is named or on offer"
        )
    if one.official is None:
        return f"whether it is the official judge is not established: {texts}{by}"
    if not one.findings:
        return f"not the official judge, but a local or modified edition: {texts}{by}"
    return f"not the official judge: {texts}, and what differs is below{by}"


def _match(match: Match) -> str:
    if match.line is None:
        return match.name
    alike = f", {match.likeness} % alike" if match.state == "changed" else ""
    return f"{match.name} ({_place(match)}{alike})"


def _brief(one: Compared) -> str:
    texts = f"{one.exact} of {len(one.matches)} texts unchanged"
    changed = [match for match in one.matches if match.state == "changed"]
    if not changed:
        return f"{one.rubric}: {texts}"
    best = max(changed, key=lambda match: match.likeness)
    return (
        f"{one.rubric}: {texts}, the likest other {best.name} ({_place(best)}, {best.likeness} %)"
    )
