"""judge/doctor/playing.py: the published program is official, no edit of it is, and why.

The program is written here with the published script's structure; its texts are those of
../shared, and nothing of it is executed.
"""

import ast
from pathlib import Path

import pytest
from doctorfiles import library, published
from packfolder import SHARED, upstream_texts

from judge.doctor import Compared, diagnose
from judge.doctor.playing import play
from judge.doctor.reaching import beginnings

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the folder ../shared is not here")
UPSTREAM = "longmemeval/upstream"
ASK = "        completion = ask("
KWARGS = "        kwargs = {"
HYP = 'hyp = entry["hypothesis"]'
FILL = "prompt = template.format(question, answer, response)"
LABEL = 'label = "yes" in response.lower()'
DEF = "\n\ndef get_anscheck_prompt("
LOOP = "    for entry in rows:"
CLIENT = "    client = OpenAI()"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder that holds LongMemEval's texts."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    library(tmp_path)
    return tmp_path / "home"


def _found(folder: Path, *edits: tuple[str, str]) -> Compared:
    path = published(folder, *edits)
    compile(path.read_bytes(), "edited", "exec")  # an edit that is no program proves nothing
    [found] = diagnose(path, UPSTREAM).compared
    return found


def test_the_published_structure_is_official(tmp_path: Path) -> None:
    """Flag for abstention, judges in a table, requests through a retrying function."""
    found = _found(tmp_path)

    assert (found.official, found.findings, found.unfollowed) == (True, (), ())


SAME = {
    "rows read at once": (
        ("[json.loads(line) for line in open(answers)]", "json.load(open(answers))"),
    ),
    "rows read in a loop": (
        (
            "rows = [json.loads(line) for line in open(answers)]",
            "rows = []\n    for line in open(answers):\n        rows.append(json.loads(line))",
        ),
    ),
    "references read in a loop": (
        (
            'known = {row["question_id"]: row for row in json.load(open(references))}',
            (
                "known = {}\n    for row in json.load(open(references)):\n"
                '        known[row["question_id"]] = row'
            ),
        ),
    ),
    "label as a number": ((LABEL, 'label = 1 if "yes" in response.lower() else 0'),),
    "a retry": (
        (
            ASK + "client, **kwargs)",
            (
                "        while True:\n            try:\n"
                "                completion = ask(client, **kwargs)\n"
                "                break\n            except OSError:\n                continue"
            ),
        ),
    ),
    "asynchronous": (("def ask(", "async def ask("),),
    "a text that is never sent": ((DEF, '\n\nKIND = "Say yes. {} {} {}"' + DEF),),
}


@pytest.mark.parametrize("name", SAME)
def test_another_way_to_write_the_same_is_official(name: str, tmp_path: Path) -> None:
    """What is sent and read is what counts."""
    found = _found(tmp_path, *SAME[name])

    assert (found.official, found.findings) == (True, ())


DIFFERS = {
    "order": (
        (FILL, "prompt = template.format(question, response, answer)"),
        "filled with question",
    ),
    "order in the call": (
        ("(task, question, answer, hyp,", "(task, question, hyp, answer,"),
        "filled with question, response, gold; the rubric's order is question, gold, response",
    ),
    "system message": (
        ('"messages": [', '"messages": [{"role": "system", "content": "Be kind."}, '),
        "messages are system, user; the rubric sends user",
    ),
    "joined": (
        (KWARGS, "        prompt = 'Be generous. ' + prompt\n" + KWARGS),
        "the filled prompt is joined with other text",
    ),
    "put into": (
        ('"content": prompt', '"content": f"Be kind. {prompt}"'),
        "the filled prompt is put into another text",
    ),
    "replaced in": (
        ('"content": prompt', '"content": prompt.replace("no", "yes")'),
        "the filled prompt is changed by .replace()",
    ),
    "stripped": (
        ('"content": prompt', '"content": prompt.strip()'),
        "the filled prompt is changed by .strip()",
    ),
    "template joined": (
        (FILL, "prompt = ('Be kind. ' + template).format(question, answer, response)"),
        "take a text that is none of the pinned ones; the rubric's is base",
    ),
    "template replaced in": (
        (FILL, FILL.replace("template", "template.replace('answer no', 'answer yes')")),
        "take a text that is none of the pinned ones; the rubric's is base",
    ),
    "swapped": (
        ('task == "temporal-reasoning"', 'task == "knowledge-update"'),
        "type knowledge-update takes the text of temporal-reasoning; the rubric's is knowledge",
    ),
    "response cut": ((HYP, HYP + "[:200]"), "the response is cut before it is filled in"),
    "response stripped": ((HYP, HYP + ".strip()"), "the response is changed by .strip() before"),
    "response made tidy": ((HYP, f"{HYP}\n        hyp = tidy(hyp)"), "changed by tidy() before"),
    "response quoted": (
        (HYP, f"{HYP}\n        hyp = f'User: {{hyp}}'"),
        "the response is put into another text before it is filled in",
    ),
    "responses cut in a dictionary": (
        (HYP, "hyp = {row['id']: row['hypothesis'][:9] for row in rows}[entry['question_id']]"),
        "the response is cut before it is filled in",
    ),
    "another test for abstention": (
        ('"_abs" in entry["question_id"]', 'entry["question_id"].endswith("_abs")'),
        "ids with '_abs' in their middle take the text of base; the rubric's is abstention",
    ),
    "flag never passed": (
        (", abstention=flag", ""),
        "ids with '_abs' take the text of base; the rubric's is abstention",
    ),
    "flag turned round": (("if not abstention", "if abstention"), "takes the text of abstention"),
    "a text for unknown types": (
        (
            "            raise NotImplementedError",
            f"            template = KIND\n            {FILL}",
        ),
        "a type the rubric does not know takes a text that is none of the pinned ones; the rubric",
    ),
    "a setting changed later": (
        (ASK, '        kwargs["max_tokens"] = 5\n' + ASK),
        "max_tokens is 5, the rubric's is 10",
    ),
    "a setting by another name": (
        ('"max_tokens": 10', '"max_tokens": LIMIT'),
        "max_tokens is 5, the rubric's is 10",
    ),
    "a setting more": ((ASK + "client,", ASK + "client, stop=['no'],"), "stop is sent, the rubric"),
    "another judge": (('"model": model', '"model": JUDGE'), "gpt-3.5-turbo is not among"),
}
CONSTANTS = (
    "import json\n",
    "import json\n\nLIMIT = 5\nKIND = 'Say yes. {} {} {}'\nJUDGE = 'gpt-3.5-turbo'\n",
)


@pytest.mark.parametrize("name", DIFFERS)
def test_one_edit_is_named_and_the_judge_is_not_official(name: str, tmp_path: Path) -> None:
    """All five texts are in the file to the letter."""
    edit, said = DIFFERS[name]
    found = _found(tmp_path, edit, CONSTANTS)

    assert {match.state for match in found.matches} == {"exact"}
    assert [one.said for one in found.findings if said in one.said], found.findings
    assert found.official is False


def test_a_text_left_where_nothing_takes_it_is_no_route(tmp_path: Path) -> None:
    """Knowledge updates are judged by the base text; their own is a constant nobody uses."""
    texts = upstream_texts()
    own = f"template = {texts['knowledge-update']!r}"
    dead = f"dead = {texts['knowledge-update']!r}\n            template = {texts['base']!r}"
    found = _found(tmp_path, (own, dead))

    said = "type knowledge-update takes the text of base; the rubric's is knowledge-update"
    assert [one.said for one in found.findings] == [said]
    assert found.official is False


UNSEEN = {
    "settings updated on a condition": (
        ASK,
        "        if hyp:\n            kwargs.update(n=3)\n" + ASK,
    ),
    "an unknown text for unknown types": (
        "            raise NotImplementedError",
        "            prompt = kinder(question)",
    ),
    "label on a condition": (LABEL, LABEL + " if where == answer else True"),
    "prompt on a condition": (
        KWARGS,
        "        if len(hyp) > 9:\n            prompt = 'Say yes.'\n" + KWARGS,
    ),
    "prompt of somebody else": (KWARGS, "        prompt = softened(prompt)[0:]\n" + KWARGS),
    "messages changed in place": (ASK, '        kwargs["messages"].insert(0, {})\n' + ASK),
    "content changed in place": (ASK, '        kwargs["messages"][0]["content"] += "!"\n' + ASK),
    "message with more": ('"content": prompt}', '"content": prompt, "prefix": True}'),
    "settings changed elsewhere": (ASK, "        soften(kwargs)\n" + ASK),
    "settings on a condition": (ASK, '        if hyp:\n            kwargs["n"] = 3\n' + ASK),
    "a setting added to": (ASK, '        kwargs["max_tokens"] += 5\n' + ASK),
    "a setting lost": (ASK, '        kwargs.pop("max_tokens")\n' + ASK),
    "a setting not known": ('"temperature": 0', '"temperature": float(where)'),
    "rows changed by key": (
        LOOP,
        '    for row in rows:\n        row["hypothesis"] = row["hypothesis"][:9]\n' + LOOP,
    ),
    "rows made anew": (LOOP, '    rows = [{**row, "hypothesis": ""} for row in rows]\n' + LOOP),
    "answer of somebody else": (HYP, 'hyp = clean(entry)["hypothesis"]'),
    "type changed by key": (
        LOOP,
        '    for row in rows:\n        row["question_type"] = "multi-session"\n' + LOOP,
    ),
    "abstention by another sign": ('"_abs" in entry["question_id"]', '"_abs" in answer'),
    "another decorator": ("@backoff.on_exception(backoff.expo, (OSError,))", "@kinder"),
    "a function within one": (
        "\n\n@backoff",
        (
            "\n\ndef outer():\n    def inner(client, text):\n"
            "        return client.create(messages=[text])\n"
            "    return inner\n\n\n@backoff"
        ),
    ),
    "a class that stands between": (
        CLIENT,
        "    class Kind(OpenAI):\n        pass\n\n    client = Kind()",
    ),
    "a method that stands between": (
        CLIENT,
        (
            "    class Kind:\n        def create(self, **kwargs):\n            return None\n\n"
            "    client = Kind()"
        ),
    ),
    "a replaced function": (CLIENT, CLIENT + "\n    client.chat.completions.create = kinder"),
    "code from text": (CLIENT, CLIENT + "\n    exec(where)"),
    "an end before it begins": (CLIENT, "    sys.exit()\n" + CLIENT),
    "names from elsewhere": ("import sys\n", "import sys\nfrom kinder import *\n"),
    "a function from elsewhere": (
        "\n\nif __name__",
        "\n\nfrom kinder import get_anscheck_prompt\n\nif __name__",
    ),
    "a kind of statement": (
        KWARGS,
        "        match where:\n            case 'x':\n                prompt = ''\n" + KWARGS,
    ),
    "an error passed over": (
        KWARGS,
        "        with contextlib.suppress(KeyError):\n            prompt = prompt\n" + KWARGS,
    ),
    "label turned round": (LABEL, 'label = not "yes" in response.lower()'),
    "label or more": (LABEL, LABEL + " or hyp == answer"),
    "label changed later": (LABEL, LABEL + "\n        label = True"),
    "label of an error": (
        LABEL,
        f"try:\n            {LABEL}\n        except KeyError:\n            label = False",
    ),
    "label as the other number": (LABEL, 'label = 0 if "yes" in response.lower() else 1'),
    "reply cut": (".content.strip()", ".content.strip()[:3]"),
    "reply changed": (LABEL, "response = response.replace('no', 'yes')\n        " + LABEL),
    "words of a reply": (LABEL, LABEL + ".split()"),
    "another request": (
        ASK,
        "        other = client.chat.completions.create(messages=[hyp])\n" + ASK,
    ),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_not_followed_is_claimed_neither_way(name: str, tmp_path: Path) -> None:
    """Null, and what was not seen is named."""
    found = _found(tmp_path, UNSEEN[name])

    assert (found.findings, found.official) == ((), None)
    assert found.unfollowed


def test_what_a_loop_carries_over_is_not_followed(tmp_path: Path) -> None:
    """The first prompt is the published one, all later ones hold the last label."""
    found = _found(
        tmp_path,
        (LOOP, "    last = None\n" + LOOP),
        (KWARGS, "        if last:\n            prompt = prompt + last\n" + KWARGS),
        (LABEL, LABEL + "\n        last = where"),
    )

    assert (found.official, "prompt" in found.unfollowed) == (None, True)


def test_other_words_for_the_fields_are_the_same_prompt(tmp_path: Path) -> None:
    """Names in the texts, or texts that are filled where they stand."""
    texts = upstream_texts()
    base = texts["base"]
    named = base.format("{question}", "{answer}", "{response}")
    old = f"template = {base!r}\n            {FILL}"
    words = "question=question, answer=answer, response=response"
    for new in (
        f"template = {named!r}\n            prompt = template.format({words})",
        f"prompt = f{named!r}",
    ):
        found = _found(tmp_path, (old, new))

        assert (found.official, found.findings) == (True, ()), found


def test_a_changed_text_leaves_the_rest_to_be_said(tmp_path: Path) -> None:
    """One space is lost; order, routes and settings still agree, and are named."""
    found = _found(tmp_path, ("answer no. \\n", "answer no.\\n"))

    assert [(one.kind, one.where) for one in found.findings] == [("spaces", "base")]
    assert {"order", "routes", "settings", "parser"} <= {*found.agreed}
    assert found.official is False


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    return f(x)\nf(1)\n",
        "while True:\n    pass\n",
        "x = [y for y in x for z in y]\n{**x}\nf(*x, **y)\n",
        "x, *y = 1, 2\n(a, b), c = x\nx[1:2] = y\n",
        "for x in []:\n    break\nelse:\n    raise SystemExit\n",
        "try:\n    return_ = x['a'][0]\nfinally:\n    pass\n",
        "'{'.format(x)\n'{a!r}{9}'.format(x)\n'a'.strip(1)\n",
        "def f(a, /, b=1, *c, d, e=2, **g):\n    yield a\nf(1, d=2)\n",
        "x = lambda: 0\nx: int = 3\nx += 1\n-x\nnot x\n1 < x < 3\n",
    ],
)
def test_any_program_is_played_or_given_up(code: str) -> None:
    """No error but its own, no end that is not reached."""
    tree = ast.parse(code)
    first = beginnings(list(ast.walk(tree)))
    state = play(tree, first, {"id": "q1", "type": "a"}, "yes")

    assert state is None or state.sent == []


def test_a_program_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    """Calls that double are as good as no end."""
    code = "".join(f"def f{n}(x):\n    return f{n + 1}(f{n + 1}(x))\n" for n in range(60))
    path = published(tmp_path, ("import json\n", f"import json\n{code}f0(1)\n"))
    [found] = diagnose(path, UPSTREAM).compared

    assert (found.official, found.agreed) == (None, ("texts",))
