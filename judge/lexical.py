"""The embedded judge `lexical/1`: a gold and a response in, accepted or not out, by a string rule.

It is a string rule, not a language model: no network, no chance, the same answer every time.

Texts are compared in the form `normalise` gives. What is asked depends on the gold field:

* answer: the last paragraph of the response holds the gold, or an alternative that the gold calls
  acceptable, as whole words, or 3/5 of its content words and all its numbers; and it does not
  decline, unless the gold itself does.
* explanation: the response declines.
* rubric: the response holds 3/10 of the rubric's content words, the words of any rubric left
  aside, and does not decline.

What it cannot do: see that two words mean the same, that a sentence denies what it quotes, that
"there is no other mention" is no refusal, that a number is near or an order of events turned round,
which of two values is the newer one, or whether advice fits a person; find an answer that stands
before the last paragraph; split a script that writes no spaces into words. A gold without a letter
or a digit is never accepted.

Against the labels gpt-4o-mini-2024-07-18 gave to two passes of 500 saved LongMemEval answers:
agreement .900 and .906, kappa .800 and .812; by route, over both passes:

    base                .936 (kappa .87)    abstention                 .900 (.37)
    temporal-reasoning  .882 (.74)          single-session-preference  .800 (.45; 30 questions)
    knowledge-update    .875 (.70)

The rule was chosen on those answers, so expect less elsewhere.
"""

import re
import unicodedata
from typing import Literal, assert_never

__all__ = ["NAME", "GoldKind", "contains", "decide", "declines", "normalise"]

GoldKind = Literal["answer", "explanation", "rubric"]

NAME = "lexical/1"

_ANSWER_SHARE = (3, 5)
_RUBRIC_SHARE = (3, 10)

_words = str.split

_UNITS = dict(
    zip(
        _words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen "
            "fourteen fifteen sixteen seventeen eighteen nineteen"
        ),
        range(20),
        strict=True,
    )
)
_TENS = dict(
    zip(
        _words("twenty thirty forty fifty sixty seventy eighty ninety"),
        range(20, 100, 10),
        strict=True,
    )
)
_NUMBERS = _UNITS | _TENS | {"once": 1, "twice": 2}
_LAST_DIGIT = 9

_STOP = frozenset(
    _words(
        "a an the this that these those it its i me my we our us you your he him his she her they "
        "them their is are was were be been am do did does has have had of in on at to for from "
        "with by as and or s also about around approximately roughly"
    )
)
_RUBRIC_WORDS = frozenset(
    _words(
        "answer response responses reply replies user users prefer prefers preferred preference "
        "suggest suggestion suggestions suggested recommend recommendation recommendations advice "
        "would should might may could can will not no avoid like likes want wants take account "
        "consider considering mention mentions previous previously specific such than other "
        "general generic related relevant interest interests interested based ignore build use "
        "uses what which who when where how"
    )
)
_STEMMED = 5
"""Letters a word must have before its ending may go."""

_LACKING = "not|no|never|cannot|without|unable|insufficient|lack|lacks|lacking|nothing|none|missing"
_KNOWING = (
    r"mention\w*|information|info|find|found|know|known|provide\w*|specif\w+|determin\w+|answer\w*|"
    r"record\w*|indicat\w+|state|stated|available|say|says|said|tell|told|enough|details?|context|"
    r"possible|evidence|data|notes?|clear|explicit\w*|discuss\w*|trace|memory"
)
_DECLINING = re.compile(
    rf"\b(?:{_LACKING}) (?:\w+ ){{0,6}}?(?:{_KNOWING})\b|\b(?:unanswerable|incomplete|unknown)\b"
)

_TOKEN = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+")
_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.;!?])\s+")
_ACCEPTABLE = re.compile(r"\b(?:is|are|would be) (?:also )?(?:acceptable|accepted)\b")
_ASIDE = re.compile(r"\([^)]*\)")


def decide(gold_kind: GoldKind, gold: str, response: str) -> bool:
    """Return whether the rule accepts the response, given what stands in the gold field."""
    match gold_kind:
        case "answer":
            return _answers(gold, _PARAGRAPH.split(response.strip())[-1])
        case "explanation":
            return declines(response)
        case "rubric":
            fits = _share(gold, response, _RUBRIC_WORDS, _RUBRIC_SHARE)
            return fits and not declines(response)
        case _:
            assert_never(gold_kind)


def contains(gold: str, response: str) -> bool:
    """Return whether the normalised gold stands in the response as whole words.

    The weak rule: a quotation, a denial and a right answer are the same to it. It is here to show
    that a weak judge passes easy controls.
    """
    wanted = normalise(gold)
    return bool(wanted) and f" {wanted} " in f" {normalise(response)} "


def declines(text: str) -> bool:
    """Return whether the text says somewhere that the answer is not known."""
    return _DECLINING.search(normalise(text)) is not None


def normalise(text: str) -> str:
    """Return the words of the text, one space apart.

    Unicode NFKC and case folding; `n't` becomes `not`; thousands commas and ordinal endings go;
    number words up to ninety-nine become digits; all but letters, digits and decimal points go.
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    text = re.sub(r"n['\u2019]t\b", " not", text)
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text)
    return " ".join(_digits(_TOKEN.findall(text)))


def _digits(words: list[str]) -> list[str]:
    out: list[str] = []
    tens = 0
    for word in words:
        unit = _UNITS.get(word, 0)
        if tens and 0 < unit <= _LAST_DIGIT:
            out[-1] = str(tens + unit)
        else:
            out.append(str(_NUMBERS[word]) if word in _NUMBERS else word)
        tens = _TENS.get(word, 0)
    return out


def _answers(gold: str, conclusion: str) -> bool:
    if declines(conclusion) and not declines(gold):
        return False
    return any(_holds(part, conclusion) for part in _alternatives(gold))


def _holds(gold: str, response: str) -> bool:
    if contains(gold, response):
        return True
    numbers = {word for word in normalise(gold).split() if word[0].isdigit()}
    known = set(normalise(response).split())
    return numbers <= known and _share(gold, response, frozenset(), _ANSWER_SHARE)


def _share(gold: str, response: str, aside: frozenset[str], least: tuple[int, int]) -> bool:
    wanted = _content(gold, aside)
    found = wanted & _content(response, aside)
    # A gold made of stop words alone has nothing to recall and must not pass for that.
    return bool(wanted) and len(found) * least[1] >= len(wanted) * least[0]


def _content(text: str, aside: frozenset[str]) -> set[str]:
    return {_stem(word) for word in normalise(text).split() if word not in _STOP | aside}


def _stem(word: str) -> str:
    return word if len(word) < _STEMMED else re.sub(r"(?:ing|ed|es|s|ly)$", "", word)


def _alternatives(gold: str) -> list[str]:
    if not _ACCEPTABLE.search(gold):
        return [gold]
    return [_ACCEPTABLE.split(_ASIDE.sub(" ", sentence))[0] for sentence in _SENTENCE.split(gold)]
