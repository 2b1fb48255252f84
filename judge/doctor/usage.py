"""A program and a rubric in; how the program uses the rubric's texts, as far as it was followed.

The program is played through once for each way an item can take. What is seen to differ is a
finding, what cannot be followed is named: only where all of it was seen to agree may a file be
called the official judge.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, get_args

from judge.canonical import digest
from judge.doctor import sending, taking
from judge.doctor.findings import Aspect, Finding
from judge.doctor.known import Library, plain
from judge.doctor.playing import play
from judge.doctor.reaching import asking, beginnings, hides
from judge.doctor.state import Sent, State
from judge.doctor.taking import Taken, Way, ways
from judge.records import Rubric

__all__ = ["Plays", "Usage", "usage"]


class Usage(NamedTuple):
    """What was seen of a program."""

    findings: tuple[Finding, ...]
    followed: frozenset[Aspect]
    """What was seen, differing or not."""


class Texts:
    """The texts of a rubric, by their bytes or, where they are here, by their words."""

    def __init__(self, one: Library, standing: Mapping[str, str]) -> None:
        """Take the rubric, what is known of it, and which text of the file stands for which."""
        self._standing = standing
        self._by_hash = {template.sha256: template.name for template in one.rubric.templates}
        self._by_words = {
            plain(known.words): known.template
            for known in one.known
            if known.words is not None and known.template is not None
        }
        self.complete = one.by_text
        """Whether a text that is not among them is known to be none of them."""

    def of(self, sent: Sent) -> str | None:
        """The template whose text is filled and sent; None where it is none of them."""
        text = sending.core(sent.content)
        if text is None:
            return None
        found = self._by_hash.get(digest(text.text.encode("utf-8", "surrogatepass")))
        return found or self._by_words.get(plain(text.text)) or self._standing.get(text.text)


class Plays:
    """One program, played through once for each item however many rubrics ask."""

    def __init__(self, tree: ast.Module) -> None:
        """Take the program's syntax tree."""
        self._tree = tree
        nodes = list(ast.walk(tree))
        self._hidden = hides(nodes)
        self._first = beginnings(nodes)
        self._asking = [id(node) for node in asking(nodes)]
        self._known: dict[tuple[str, str, str | None], State | None] = {}

    def of(self, way: Way, accept: str | None) -> State | None:
        """What was noted for one item; None where the program cannot be followed."""
        if self._hidden:
            return None
        key = way.id, way.type, accept
        if key not in self._known:
            self._known[key] = play(
                self._tree, self._first, {"id": way.id, "type": way.type}, accept
            )
        return self._known[key]

    def unplayed(self, seen: set[int]) -> bool:
        """Whether some call that may ask a judge was never reached."""
        return not seen.issuperset(self._asking)


def usage(plays: Plays, one: Library, standing: Mapping[str, str]) -> Usage:
    """Return how a program fills, routes and sends a rubric's texts, and reads the replies.

    Args:
        plays: the program.
        one: the rubric.
        standing: each changed text of the file to the template whose copy it is.
    """
    found: dict[tuple[str, str], Finding] = {}
    followed: set[Aspect] = {*get_args(Aspect)} - {"texts"}
    seen: set[int] = set()
    taken: list[Taken] = []
    texts = Texts(one, standing)
    for way in ways(one.rubric):
        state = plays.of(way, one.rubric.accept)
        if state is None:
            # What cannot be followed for one item is not for another.
            followed.clear()
            break
        seen |= state.seen
        shown = _one(state, way, one.rubric, texts)
        followed -= shown.unclear
        taken += shown.taken
        for finding in shown.findings:
            found.setdefault((finding.where, finding.said), finding)
    if plays.unplayed(seen):
        followed -= {"prompt", "messages", "settings", "judge", "parser"}
    return Usage((*taking.findings(taken), *found.values()), frozenset(followed))


class Shown(NamedTuple):
    """What one item shows."""

    findings: tuple[Finding, ...]
    unclear: frozenset[Aspect]
    taken: tuple[Taken, ...]


def _one(state: State, way: Way, rubric: Rubric, texts: Texts) -> Shown:
    mine, others = _told_apart(state.sent, texts)
    unclear: set[Aspect] = {aspect for aspect in get_args(Aspect) if aspect in state.unclear}
    # A text of nobody's is the judge's where its reply is read as the judge's.
    told = state.read and texts.complete
    taken = [one for sent in mine if (one := _taken(sent, way, texts)).name or told]
    if len(taken) < len(mine):
        unclear |= {"prompt", "routes"}
    if way.template is None:
        unclear |= {"routes"} if others or (mine and state.doubted) else set()
        return Shown((), frozenset(unclear), () if state.doubted else tuple(taken))
    if others or not mine:
        unclear |= {"prompt", "messages", "routes", "order", "values", "settings", "judge"}
    if not mine or not _is_read(state, rubric):
        unclear |= {"parser"}
    checks = [check for sent in mine for check in _checks(sent, way, rubric, texts)]
    unclear |= {aspect for check in checks for aspect in check.unclear}
    findings = [finding for check in checks for finding in check.findings]
    return Shown(tuple(findings), frozenset(unclear), tuple(taken))


def _checks(sent: Sent, way: Way, rubric: Rubric, texts: Texts) -> Iterator[sending.Check]:
    """Every look at one request."""
    name = texts.of(sent)
    if name is None and not texts.complete:
        yield sending.Check((), frozenset({"order", "values"}))
    [template] = [one for one in rubric.templates if one.name == (name or way.template)]
    yield sending.prompt(sent, rubric, template)
    yield sending.messages(sent, rubric)
    yield sending.settings(sent, rubric)
    yield sending.model(sent, rubric)


def _told_apart(sent: Sequence[Sent], texts: Texts) -> tuple[list[Sent], list[Sent]]:
    """The judge's requests, and those of its reader or of another judge."""
    filled = [one for one in sent if sending.core(one.content) is not None]
    mine = [one for one in filled if texts.of(one) is not None]
    if not mine and len({text.text for one in filled if (text := sending.core(one.content))}) == 1:
        mine = filled
    return mine, [one for one in sent if one not in mine]


def _taken(sent: Sent, way: Way, texts: Texts) -> Taken:
    text = sending.core(sent.content)
    return Taken(way, texts.of(sent), sent.line if text is None else text.line)


def _is_read(state: State, rubric: Rubric) -> bool:
    """Whether a reply was read as the upstream reads it; followed for one way of reading only."""
    return rubric.readings.upstream == "yes-substring/1" and state.read
