"""judge/packs/bringing.py and sources.py: pinned texts from files and addresses into the store."""

import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import packfolder
import pytest
from faultserver import Action, Close, FaultServer, Send, Sleep, http
from packfolder import SOURCE, TEXTS, pack, script, sha, write

from judge import packs
from judge.canonical import Json, digest, encode
from judge.errors import InputError, ProviderError, StorageError
from judge.packs import bringing

Answer = Callable[..., FaultServer]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder one that holds a small pack."""
    folder = tmp_path / "home"
    monkeypatch.setenv("JUDGE_HOME", str(folder))
    write(folder, "tiny/one", pack())
    return folder


def _json(value: Json) -> str:
    return encode(value).decode()


def _notebook(*cells: Json) -> str:
    return _json({"cells": [{"cell_type": "code", "source": cell} for cell in cells]})


ONE, TWO = TEXTS["one"], TEXTS["two"]
HOLDERS = {
    "literals.py": f"a = {ONE!r}\ndef f():\n    return {TWO!r}.format(1)\n",
    "side_by_side.py": f"a = ({ONE[:5]!r}\n    {ONE[5:]!r})\nb = [{TWO!r}]\n",
    "block.py": f'a = """{ONE}"""\nb = {TWO!r}\n',
    "stripped.py": f'a = """\n{ONE}\n""".strip()\nb = {TWO!r}\n',
    "joined.py": f"a = {ONE[:5]!r} + ({ONE[5:7]!r} + {ONE[7:]!r})\nb = f(1)({TWO!r})\n",
    "old_escapes.py": f"import re\nre.compile('\\d')\na = {ONE!r}\nb = {TWO!r}\n",
    "lists.ipynb": _notebook([f"a = {ONE!r}\n", f"b = {TWO!r}"]),
    "magic.ipynb": _notebook(
        "%pip install x\n!ls", f"!ls\na = {ONE!r}", "not ( python", f"{TWO!r}"
    ),
    "values.json": _json({"a": [{"b": ONE}], "c": TWO}),
    "rows.jsonl": _json({"a": ONE}) + "\n\n" + _json([TWO]) + "\n",
    "page.md": f"# Judge\n\n```text\n{ONE}\n```\n\nand\n\n```\n{TWO}\n```\n",
    "config.yaml": f"a: &x !tag {_json(ONE)}\nb: [*x, {_json(TWO)}]\n",
}


@pytest.mark.parametrize("name", HOLDERS)
def test_texts_are_found_by_content_in_every_kind_of_file(name: str, tmp_path: Path) -> None:
    """Wherever they stand in it."""
    path = tmp_path / name
    path.write_text(HOLDERS[name], encoding="utf-8")

    added = packs.add("tiny/one", path)

    assert set(added.templates) == {"one", "two"}
    assert {t.name: t.text for t in packs.load("tiny/one").templates} == TEXTS


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("suffix", [".txt", ".md", ".j2"])
def test_a_text_file_is_a_text_with_or_without_its_last_line_feed(
    suffix: str, end: str, home: Path, tmp_path: Path
) -> None:
    """A pin says which of the two it is."""
    whole = f"{{one: {{sha256: {sha('one')}}}}}"
    write(home, "tiny/one", pack(templates=whole, routes="[{template: one}]"))
    path = tmp_path / f"prompt{suffix}"
    path.write_text(TEXTS["one"] + end, encoding="utf-8")

    assert packs.add("tiny/one", path).templates == ("one",)


def test_nothing_in_the_file_is_executed(tmp_path: Path) -> None:
    """Neither on import nor by a tag."""
    trap = tmp_path / "ran"
    path = script(tmp_path)
    path.write_text(
        f"import pathlib\npathlib.Path({str(trap)!r}).touch()\n{path.read_text('utf-8')}", "utf-8"
    )
    packs.add("tiny/one", path)
    yaml = tmp_path / "x.yaml"
    yaml.write_text(
        f"a: !!python/object/apply:pathlib.Path.touch [{trap}]\nb: {_json(ONE)}\nc: {_json(TWO)}\n",
        encoding="utf-8",
    )
    packs.add("tiny/one", yaml)

    assert not trap.exists()


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_near_match_is_refused_by_the_templates_name(
    name: str, home: Path, tmp_path: Path
) -> None:
    """One space less; nothing is kept, not even what was right."""
    texts = [text.replace(" ", "", 1) if key == name else text for key, text in TEXTS.items()]

    with pytest.raises(InputError, match=f"holds 1 of 2 .* missing or changed: {name}; nothing"):
        packs.add("tiny/one", script(tmp_path, *texts))
    assert not (home / "texts").exists()


def test_another_file_than_the_pinned_one_is_noted(home: Path, tmp_path: Path) -> None:
    """Same texts, other file: the note is true only then."""
    path = script(tmp_path)

    assert packs.add("tiny/one", path).same_file is False
    source = SOURCE.replace("b" * 64, digest(path.read_bytes()))
    write(home, "tiny/one", pack(source=source))
    assert packs.add("tiny/one", path).same_file is True
    write(home, "tiny/one", pack(source=None))
    assert packs.add("tiny/one", path).same_file is None


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.pdf", b"", "cannot look into .pdf; known are .ipynb"),
        ("a", b"", "a file without suffix"),
        ("a.py", b"def (", "not readable as .py"),
        ("a.py", b"a = '\0'", "a.py: "),
        ("a.py", b"(" * 100_000, "a.py: "),
        ("a.py", b"\xff", "not readable as .py"),
        ("a.json", b"{", "not readable as .json"),
        ("a.json", b"[" * 100_000, "not readable as .json"),
        ("a.jsonl", b"{}\n{", "not readable as .jsonl"),
        ("a.ipynb", b"[]", "holds 0 of 2"),
        ("a.ipynb", b'{"cells": 1}', "holds 0 of 2"),
        ("a.yaml", b"a: [", "not readable as .yaml"),
        ("a.yaml", b"#" * 1_000_001, "larger than 1000000"),
        ("a.txt", b"\xff", "not readable as .txt"),
        ("a.txt", b"x" * 5_000_001, "larger than 5000000 bytes"),
        ("a.py", b"a = '\\ud800'", "holds 0 of 2"),
    ],
)
def test_a_file_that_cannot_be_looked_into_is_refused(
    name: str, data: bytes, what: str, tmp_path: Path
) -> None:
    """One sentence with the file's name."""
    (tmp_path / name).write_bytes(data)

    with pytest.raises(InputError) as caught:
        packs.add("tiny/one", tmp_path / name)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """With the reason."""
    with pytest.raises(InputError, match="No such file"):
        packs.add("tiny/one", tmp_path / "x.py")


def test_a_pack_that_came_whole_has_nothing_to_bring(tmp_path: Path) -> None:
    """Neither by file nor by address."""
    with pytest.raises(InputError, match="correctness/v1: has no text to bring"):
        packs.add("correctness/v1", script(tmp_path))
    with pytest.raises(InputError, match="correctness/v1: has no text to bring"):
        packs.fetch("correctness/v1")


def test_the_store_names_each_text_by_its_digest(home: Path, tmp_path: Path) -> None:
    """Nothing else lies there, no half-written file either."""
    packs.add("tiny/one", script(tmp_path))
    packs.add("tiny/one", script(tmp_path))

    assert sorted(path.name for path in (home / "texts").iterdir()) == sorted(map(sha, TEXTS))


def test_a_store_that_cannot_be_written_is_a_storage_error(home: Path, tmp_path: Path) -> None:
    """Exit 7."""
    (home / "texts").write_text("in the way", encoding="utf-8")

    with pytest.raises(StorageError, match="cannot be written"):
        packs.add("tiny/one", script(tmp_path))


# --- several sources ----------------------------------------------------------------------------

TWO_SOURCES = f"[{SOURCE}, {SOURCE.replace('eval.py', 'more.py')}]"


def _two_sources(home: Path, **lines: str) -> None:
    """Pin one text in the first source, one text and a system text in the second."""
    said = f"{{sha256: {digest(b'Be strict.')}, source: 2}}"
    templates = (
        f"{{one: {{sha256: {sha('one')}}},"
        f" two: {{sha256: {sha('two')}, source: 2, system: {said}}}}}"
    )
    write(home, "tiny/one", pack(**{"source": TWO_SOURCES, "templates": templates, **lines}))


def test_what_a_file_holds_of_a_source_in_part_is_not_kept(home: Path, tmp_path: Path) -> None:
    """The whole source is, and what is still absent is said."""
    _two_sources(home)

    added = packs.add("tiny/one", script(tmp_path, *TEXTS.values()))

    assert (added.templates, added.absent) == (("one",), ("two", "two (system)"))
    assert [path.name for path in (home / "texts").iterdir()] == [sha("one")]
    assert packs.add("tiny/one", script(tmp_path, TWO, "Be strict.")).absent == ()
    assert packs.load("tiny/one").templates[1].system == "Be strict."


def test_a_file_with_no_source_whole_is_refused(home: Path, tmp_path: Path) -> None:
    """All that is missing is named."""
    _two_sources(home)

    with pytest.raises(InputError, match=r"missing or changed: one, two \(system\); nothing"):
        packs.add("tiny/one", script(tmp_path, TWO))


def test_fetch_brings_every_source(home: Path, tmp_path: Path) -> None:
    """Each by its own address, each held against its own hash."""
    data = [script(tmp_path, *texts).read_bytes() for texts in ((ONE,), (TWO, "Be strict."))]
    first, second = (SOURCE.replace("b" * 64, digest(one)) for one in data)
    _two_sources(home, source=f"[{first}, {second.replace('eval.py', 'more.py')}]")
    with FaultServer(lambda _, number: [Send(http(200, data[number - 1]))]) as server:
        fetched = packs.fetch("tiny/one", server.origin)

    assert [added.templates for added in fetched] == [("one",), ("two", "two (system)")]
    assert [request.path.rpartition("/")[2] for request in server.requests] == [
        "eval.py",
        "more.py",
    ]


# --- fetch --------------------------------------------------------------------------------------


@pytest.fixture
def source(home: Path, tmp_path: Path) -> bytes:
    """Pin the small script as the pack's source; return its bytes."""
    data = script(tmp_path).read_bytes()
    write(home, "tiny/one", pack(source=SOURCE.replace("b" * 64, digest(data))))
    return data


@pytest.fixture
def answer() -> Iterator[Answer]:
    """Start a server that does these things at every request."""
    with ExitStack() as stack:

        def start(*actions: Action) -> FaultServer:
            return stack.enter_context(FaultServer(lambda _, __: actions))

        yield start


def test_fetch_brings_the_pinned_file(source: bytes, answer: Answer) -> None:
    """One GET of the path at the commit; no redirect, no encoding, no cookie, no key."""
    server = answer(Send(http(200, source)))

    (added,) = packs.fetch("tiny/one", server.origin)

    assert added.same_file is True
    assert packs.load("tiny/one").templates[0].text == TEXTS["one"]
    (request,) = server.requests
    assert request.path == f"/a/b/{'a' * 40}/x/eval.py"
    assert request.header("accept-encoding") == "identity"
    assert request.header("authorization") is None


def test_proxies_and_keys_of_the_environment_are_not_read(
    source: bytes, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy set for something else does not see this."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server = answer(Send(http(200, source)))

    assert [added.same_file for added in packs.fetch("tiny/one", server.origin)] == [True]


def test_another_file_than_the_pinned_one_is_not_taken(
    source: bytes, home: Path, answer: Answer
) -> None:
    """Even with all the texts in it."""
    server = answer(Send(http(200, source + b"\n")))

    with pytest.raises(ProviderError, match=r"a/b serves another file: its SHA-256 is"):
        packs.fetch("tiny/one", server.origin)
    assert not (home / "texts").exists()


@pytest.mark.parametrize("status", [301, 302, 404, 500])
def test_a_status_other_than_200_is_a_provider_error(
    status: int, source: bytes, answer: Answer
) -> None:
    """Redirects are not followed."""
    assert source
    server = answer(Send(http(status, b"", headers=[("location", "/elsewhere")])))

    with pytest.raises(ProviderError, match=f"status {status}, 200 is expected"):
        packs.fetch("tiny/one", server.origin)
    assert len(server.requests) == 1


def test_more_than_five_megabytes_are_not_read(source: bytes, answer: Answer) -> None:
    """Whatever the server announces."""
    assert source
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 900000000\r\n\r\n"
    server = answer(Send(head + b"x" * 5_100_000), Sleep(5))

    with pytest.raises(ProviderError, match="larger than 5000000 bytes"):
        packs.fetch("tiny/one", server.origin)


def test_a_body_that_drips_ends_at_the_deadline(
    source: bytes, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's own time-out would start anew with each byte."""
    assert source
    monkeypatch.setattr(bringing, "_DEADLINE", 0.2)
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"
    server = answer(Send(head), *[Send(b"x"), Sleep(0.05)] * 40)

    with pytest.raises(ProviderError, match="not complete after"):
        packs.fetch("tiny/one", server.origin)


def test_a_cut_body_is_a_provider_error(source: bytes, answer: Answer) -> None:
    """Half a file is no file."""
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"
    server = answer(Send(head + source[:10]), Close())

    with pytest.raises(ProviderError, match="cannot be fetched"):
        packs.fetch("tiny/one", server.origin)


def test_no_network_is_a_provider_error_in_one_sentence(source: bytes) -> None:
    """Exit 5; the address is in it."""
    assert source
    with pytest.raises(ProviderError) as caught:
        packs.fetch("tiny/one", "http://nowhere.invalid")

    assert str(caught.value).startswith("http://nowhere.invalid/a/b/")
    assert "\n" not in str(caught.value)


def test_a_pack_that_pins_no_source_cannot_be_fetched(home: Path) -> None:
    """The sentence names what can be done."""
    write(home, "tiny/one", pack(source=None))

    with pytest.raises(InputError, match="pins no source to fetch from; use `judge templates add`"):
        packs.fetch("tiny/one")


def test_stored_texts_are_plain_files(home: Path, tmp_path: Path) -> None:
    """Readable by their owner, executable by nobody."""
    packs.add("tiny/one", script(tmp_path))
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (home / "texts").iterdir()]

    assert all(mode & 0o777 in {0o600, 0o644} for mode in modes)


def test_the_released_edition_brings_what_its_parent_pins(tmp_path: Path) -> None:
    """`add longmemeval/released` takes the five upstream texts."""
    added = packs.add("longmemeval/released", packfolder.upstream_script(tmp_path))

    assert (added.name, len(added.templates)) == ("longmemeval/upstream", 5)
    assert packs.check("longmemeval/released").state == "ok"


@pytest.mark.parametrize(
    "name",
    ["base", "temporal-reasoning", "knowledge-update", "single-session-preference", "abstention"],
)
def test_one_changed_sign_in_the_upstream_file_is_refused_by_name(
    name: str, tmp_path: Path
) -> None:
    """The template that differs is the one named."""
    text = packfolder.upstream_texts()[name]
    path = packfolder.upstream_script(tmp_path, **{name: text[:-1] + "!"})

    with pytest.raises(InputError, match=f"holds 4 of 5 .* missing or changed: {name};"):
        packs.add("longmemeval/upstream", path)
