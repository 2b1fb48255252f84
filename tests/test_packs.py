"""judge/packs: packs found, inherited, composed, held against their pins."""

import os
from pathlib import Path

import pytest
from packfolder import TEXTS, pack, refused, script, sha, write

from judge import packs
from judge.canonical import digest
from judge.errors import InputError
from judge.packs import files, inheritance, texts


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's folder an empty one."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("JUDGE_HOME", str(folder))
    return folder


# --- the user's own packs -----------------------------------------------------------------------


def test_a_pack_of_ones_own_is_loaded_from_the_store(home: Path, tmp_path: Path) -> None:
    """Composed, in the order written, decimals as text."""
    write(home, "tiny/one", pack())
    packs.add("tiny/one", script(tmp_path))

    rubric = packs.load("tiny/one")

    assert [(t.name, t.text, t.gold) for t in rubric.templates] == [
        ("one", TEXTS["one"], "answer"),
        ("two", TEXTS["two"], "rubric"),
    ]
    assert rubric.settings == {"temperature": "0.5", "max_tokens": 10}
    assert rubric.fields == ("question", "gold", "response")
    assert rubric.name in packs.names()


def test_a_pack_is_loaded_by_its_path(tmp_path: Path) -> None:
    """It needs no folder of packs around it."""
    path = tmp_path / "mine.yaml"
    path.write_text(pack(), encoding="utf-8")
    packs.add(str(path), script(tmp_path))

    assert packs.load(str(path)).name == "tiny/one"


def test_a_pack_without_a_pin_is_loaded_with_a_warning(home: Path) -> None:
    """The warning holds the line to add; with it there is none."""
    write(home, "tiny/one", pack())
    (warning,) = packs.check("tiny/one").warnings
    line = warning.split("`")[1]
    write(home, "tiny/one", pack() + line + "\n")

    assert packs.check("tiny/one").warnings == ()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("settings", "{temperature: 0.5, max_tokens: 11}"),
        ("labels", '["no", "yes"]'),
        ("accept", '"no"'),
        ("routes", "[{type: [y], template: two}, {template: one}]"),
        ("fields", "[gold, question, response]"),
        ("readings", "{strict: yes-no/1, upstream: yes-no/1}"),
    ],
)
def test_a_pin_holds_routes_labels_readings_and_settings(home: Path, key: str, value: str) -> None:
    """An edit of any of them is refused, naming the pin."""
    write(home, "tiny/one", pack())
    pin = packs.check("tiny/one").pin
    path = write(home, "tiny/one", pack(pin=pin, **{key: value}))

    assert refused("tiny/one").startswith(f"{path}: its pin is {pin[:12] if pin else ''}")


def test_a_text_that_is_absent_names_both_commands(home: Path) -> None:
    """Exit 2; the sheet says `pins only` and has the pin all the same."""
    write(home, "tiny/one", pack())
    message = refused("tiny/one")
    sheet = packs.check("tiny/one")

    assert "`judge templates fetch tiny/one`" in message
    assert "`judge templates add tiny/one --from FILE`" in message
    assert (sheet.state, len(sheet.pin or "")) == ("pins only", 64)
    assert [template.text for template in sheet.templates] == [None, None]


def test_without_a_source_only_add_is_named(home: Path) -> None:
    """There is nothing to fetch from."""
    write(home, "tiny/one", pack(source=None))

    assert "fetch" not in refused("tiny/one")


def test_one_changed_byte_in_a_stored_text_is_refused_by_name(home: Path, tmp_path: Path) -> None:
    """By load and by check; adding it again mends it."""
    write(home, "tiny/one", pack())
    packs.add("tiny/one", script(tmp_path))
    stored = home / "texts" / sha("two")
    stored.write_bytes(stored.read_bytes().replace(b"Two", b"two"))

    assert "template 'two'" in refused("tiny/one")
    assert str(stored) in refused("tiny/one")
    with pytest.raises(InputError, match="the stored text was changed"):
        packs.check("tiny/one")
    packs.add("tiny/one", script(tmp_path))
    assert packs.check("tiny/one").state == "ok"


def test_an_edition_inherits_all_it_does_not_name(home: Path, tmp_path: Path) -> None:
    """Templates by name, with what stands in their gold; every other field whole."""
    write(home, "tiny/one", pack())
    cut = "Two! {} / {} / {}"
    parts = '["Two!", [two, 4, 17]]'
    child = (
        "rubric: tiny\nedition: two\nof: tiny/one\nsettings: {max_tokens: 1}\n"
        f"templates: {{two: {{parts: {parts}, sha256: {digest(cut.encode())}}}}}\n"
    )
    write(home, "tiny/two", child)
    packs.add("tiny/two", script(tmp_path))

    rubric = packs.load("tiny/two")

    assert [(t.name, t.text, t.gold) for t in rubric.templates] == [
        ("one", TEXTS["one"], "answer"),
        ("two", cut, "rubric"),
    ]
    assert (rubric.settings, rubric.of, rubric.accept) == ({"max_tokens": 1}, "tiny/one", "yes")
    assert rubric.routes == packs.load("tiny/one").routes


def test_an_edition_inherits_system_text_fields_and_places(home: Path, tmp_path: Path) -> None:
    """Of the template it edits, where it does not say otherwise."""
    text, said = "Joined: and: so", "Be strict."
    system = f"{{sha256: {digest(said.encode())}}}"
    entry = (
        f"{{one: {{sha256: {digest(text.encode())}, system: {system},"
        " fields: [question, answer: response], places: [7, 12]}}"
    )
    whole = pack(fill="concat", fields=None, templates=entry, routes="[{template: one}]")
    write(home, "tiny/one", whole)
    cut = "Joined: und: so"
    parts = '[[one, 0, 8], "u", [one, 9, 15]]'
    write(
        home,
        "tiny/two",
        "rubric: tiny\nedition: two\nof: tiny/one\n"
        f"templates: {{one: {{parts: {parts}, sha256: {digest(cut.encode())}}}}}\n",
    )
    packs.add("tiny/two", script(tmp_path, text, said))

    (template,) = packs.load("tiny/two").templates

    assert (template.text, template.system, template.places) == (cut, said, (7, 12))
    assert (template.fields, template.names) == (("question", "response"), ("question", "answer"))


def test_an_inherited_template_no_route_leads_to_is_left_out(home: Path, tmp_path: Path) -> None:
    """An edition with fewer routes has fewer templates."""
    write(home, "tiny/one", pack())
    write(
        home,
        "tiny/less",
        "rubric: tiny\nedition: less\nof: tiny/one\nroutes: [{template: one}]\n",
    )
    packs.add("tiny/less", script(tmp_path))

    assert [template.name for template in packs.load("tiny/less").templates] == ["one"]


def test_parts_that_do_not_make_the_pinned_text_arerefused(home: Path, tmp_path: Path) -> None:
    """An offset moved by one; the message shows the parts."""
    write(home, "tiny/one", pack())
    packs.add("tiny/one", script(tmp_path))
    entry = f"parts: [[two, 0, 16]], sha256: {sha('two')}"
    child = f"rubric: tiny\nedition: two\nof: tiny/one\ntemplates: {{two: {{{entry}}}}}\n"
    write(home, "tiny/two", child)

    assert "template 'two' was changed: two[0:16] has SHA-256" in refused("tiny/two")
    write(home, "tiny/two", child.replace("[two, 0, 16]", "[two, 0, 99]"))
    assert "template 'two': slice 0 to 99" in refused("tiny/two")
    write(home, "tiny/two", child.replace("[two, 0, 16]", "[six, 0, 16]"))
    assert "slice of 'six', which is not there" in refused("tiny/two")


def test_packs_that_stand_on_each_other_arerefused(home: Path) -> None:
    """Directly or round about."""
    for name, other in (("a", "b"), ("b", "a"), ("c", "c")):
        write(home, f"tiny/{name}", f"rubric: tiny\nedition: {name}\nof: tiny/{other}\n")

    for name in ("tiny/a", "tiny/c"):
        assert "stands on itself" in refused(name)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"extra": "1"}, "extra: Extra inputs"),
        ({"fill": "mustache"}, "fill: Input should be"),
        ({"routes": "[{tpye: [x], template: one}]"}, "routes.0.tpye: Extra"),
        ({"routes": "[{abstention: yes, template: one}]"}, "routes.0.abstention: Input"),
        ({"templates": "{One: {sha256: " + sha("one") + "}}"}, "templates"),
        ({"templates": "{one: {sha256: abc}}"}, "templates.one.sha256"),
        ({"templates": f"{{one: {{sha256: {sha('one')}, file: a, parts: [b]}}}}"}, "both a file"),
        (
            {"templates": f"{{one: {{sha256: {sha('one')}, source: 2}}}}"},
            "source 2: the pack names",
        ),
        ({"texts": f"{{a: {{sha256: {sha('one')}, file: x}}}}"}, "text 'a' is made of others"),
        ({"fields": "[question, {a: gold, b: response}]"}, "fields"),
        ({"fields": "[question, target: answer]"}, "fields"),
        ({"accept": None}, "accept: missing"),
        ({"labels": None}, "labels: missing"),
        ({"accept": "maybe"}, "accept 'maybe' is not among its labels"),
        ({"settings": "{temperature: 0.50}"}, "shortest form"),
        ({"settings": "{model: x}"}, "belongs to the harness"),
        ({"settings": "[1]"}, "settings: Input should be"),
        ({"rubric": "other"}, "calls itself other/one"),
        ({"of": "a.yaml"}, "is not RUBRIC/EDITION"),
        ({"labels": "[yes, no, yes]"}, "label 'yes' is empty or stands there twice"),
        ({"labels": "&x [yes, no]"}, "anchor"),
        ({"judges": "{}"}, "judges: Input should be"),
    ],
)
def test_a_pack_that_is_wrong_is_refused_with_its_file(
    home: Path, changes: dict[str, str | None], what: str
) -> None:
    """One sentence with the place."""
    path = write(home, "tiny/one", pack(**changes))
    message = refused("tiny/one")

    assert message.startswith(str(path))
    assert what in message
    assert "\n" not in message


def test_a_file_that_is_no_mapping_is_no_pack(home: Path) -> None:
    """A list, a word."""
    write(home, "tiny/one", "[a]\n")

    assert "a pack is a mapping" in refused("tiny/one")


def test_texts_lie_in_the_packs_own_folder(home: Path, tmp_path: Path) -> None:
    """No way up, no absolute path, no link out, no folder, no pipe."""
    (tmp_path / "out.j2").write_text(TEXTS["one"] + "\n", encoding="utf-8")
    folder = write(home, "tiny/one", "").parent
    (folder / "link.j2").symlink_to(tmp_path / "out.j2")
    (folder / "dir").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "in.j2").write_text(TEXTS["one"] + "\n", encoding="utf-8")

    def entry(file: str) -> str:
        one = f"{{one: {{file: {file}, sha256: {sha('one')}}}}}"
        return pack(templates=one, routes="[{template: one}]")

    for file in ("../../../out.j2", str(tmp_path / "out.j2"), "link.j2", "dir/../../x.j2"):
        write(home, "tiny/one", entry(file))
        assert "lies outside the pack's folder" in refused("tiny/one")
    for file, what in (
        ("dir", "directory"),
        ("pipe", "not a regular file"),
        ("none.j2", "No such file"),
    ):
        write(home, "tiny/one", entry(file))
        assert what in refused("tiny/one")
    write(home, "tiny/one", entry("in.j2"))
    assert packs.load("tiny/one").templates[0].text == TEXTS["one"]


def test_a_text_that_does_not_follow_its_dialect_isrefused(home: Path, tmp_path: Path) -> None:
    """Found on load and by check, with the pack's file."""
    text = "only {} and {}"
    one = f"{{one: {{sha256: {digest(text.encode())}}}}}"
    path = write(home, "tiny/one", pack(templates=one, routes="[{template: one}]"))
    packs.add("tiny/one", script(tmp_path, text))

    assert refused("tiny/one").startswith(f"{path}: tiny/one: template 'one': has 2 places")
    with pytest.raises(InputError, match="has 2 places"):
        packs.check("tiny/one")


def test_a_text_file_that_is_not_utf8_isrefused(home: Path) -> None:
    """Named by file."""
    one = f"{{one: {{file: x.j2, sha256: {sha('one')}}}}}"
    path = write(home, "tiny/one", pack(templates=one, routes="[{template: one}]"))
    (path.parent / "x.j2").write_bytes(b"\xff\n")

    assert "file 'x.j2' is not UTF-8" in refused("tiny/one")


def test_a_template_nobody_has_is_an_input_error(home: Path) -> None:
    """The ladder of parents ends in a refusal."""
    write(home, "tiny/one", pack())

    with pytest.raises(InputError, match="no template is named 'three'"):
        texts.text(inheritance.resolve("tiny/one"), "three")


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nothing", "../x/y", "a/b/c", "A/b", "", "tiny/\x1b", "a/b\n"])
def test_a_name_is_rubric_slash_edition_or_a_path(name: str) -> None:
    """A name never becomes a path out of the folder."""
    assert "neither RUBRIC/EDITION nor a path" in refused(name)


def test_an_unknown_rubric_lists_the_known_ones() -> None:
    """A typing slip is seen at once."""
    assert "longmemeval/released, longmemeval/upstream, " in refused("longmemeval/upstraem")


def test_a_missing_path_is_an_input_error() -> None:
    """With the reason."""
    assert refused("none/x.yaml") == "none/x.yaml: cannot be read: No such file or directory"


def test_a_pack_may_not_take_a_shipped_name(home: Path) -> None:
    """Two files of one name are one too many."""
    write(home, "longmemeval/upstream", pack("longmemeval/upstream"))

    assert "give your edition its own name" in refused("longmemeval/upstream")


def test_a_wrong_pack_is_listed_with_its_reason(home: Path) -> None:
    """The others are listed as ever."""
    write(home, "tiny/one", "a: [")
    sheets = {sheet.name: sheet for sheet in packs.survey()}

    assert sheets["tiny/one"].state == "refused"
    assert "not YAML" in (sheets["tiny/one"].problem or "")
    assert sheets["longmemeval/upstream"].problem is None


def test_without_any_pack_nothing_is_said_to_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing passes vacuously; without its folder the package says so."""
    monkeypatch.setattr(files, "_PACKAGE", tmp_path / "empty" / "judge")
    with pytest.raises(InputError, match="no folder 'templates' came with judge"):
        packs.survey()
    (tmp_path / "empty" / "templates").mkdir(parents=True)
    with pytest.raises(InputError, match="no rubric is there"):
        packs.survey()


def test_inside_the_wheel_the_packages_own_folder_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of somebody else beside the package is not ours."""
    (tmp_path / "judge" / "templates").mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(files, "_PACKAGE", tmp_path / "judge")

    assert packs.shipped("templates") == tmp_path / "judge" / "templates"


def test_without_judge_home_the_platforms_folder_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named after the command."""
    monkeypatch.delenv("JUDGE_HOME")

    assert packs.home().name == "judge"
