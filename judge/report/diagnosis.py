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
        lines += _whole(first)
        lines += [f"also like  {_brief(one)}" for one in others[:_MOST]]
    else:
        lines.append("holds no text of a known judge, unchanged or changed")
    if found.unseen:
        lines.append(
            f"by hash only, since their texts are not on this machine: {', '.join(found.unseen)};"
            " a changed copy of theirs goes unseen"
        )
    return "\n".join(lines)


def _whole(one: Compared) -> list[str]:
    width = max(len(finding.kind) for finding in one.findings) if one.findings else 0
    lines = [f"{one.rubric}: {_verdict(one)}"]
    for state in _STATES:
        names = [_match(match) for match in one.matches if match.state == state]
        lines += [f"  {state:<10}  {', '.join(names)}"] if names else []
    for finding in one.findings:
        at = f"{finding.where}:{finding.line}" if finding.line else finding.where
        lines.append(f"  {finding.kind:<{width}}  {at}: {finding.said}")
    return lines


def _verdict(one: Compared) -> str:
    if one.official:
        return (
            f"all {len(one.matches)} pinned texts, unchanged; how the file fills, routes and "
            "sends them is not proved"
        )
    by = "" if one.by == "text" else "; by hash only: its texts are not on this machine"
    return f"not the judge as it is pinned: {one.exact} of {len(one.matches)} texts exact{by}"


def _match(match: Match) -> str:
    if match.line is None:
        return match.name
    alike = f", {match.likeness} % alike" if match.state == "changed" else ""
    return f"{match.name} (line {match.line}{alike})"


def _brief(one: Compared) -> str:
    if one.official:
        return f"{one.rubric}: all pinned texts, unchanged; their use is not proved"
    best = max(match.likeness for match in one.matches)
    exact = f"{one.exact} of {len(one.matches)} texts exact"
    return f"{one.rubric}: {exact}, {best} % at most alike"
