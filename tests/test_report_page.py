"""judge/report/page: what stands on the page, as text and in a real browser."""

import base64
import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from browser import Browser, needs_browser, opened
from kindruns import brought, judged, sound
from packfolder import SHARED
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from smallrun import SmallJudge, Turn, configured, ran
from stretches import EXAMPLES

from judge.cli import main
from judge.config import AnswersConfig, JudgeConfig, ReferencesConfig, RunConfig
from judge.judging import run as run_now
from judge.report.page.browser import browser
from judge.report.page.texts import embedded, visible
from judge.studies.columns import open_runs

ATTACK = "<script>document.title='owned'</script></script><img src=x onerror=alert(1)>"
REORDER = "\u202eevil\u202c \u200bhidden שלום"


def _attacking(folder: Path) -> RunConfig:
    """The examples, one answer and one question turned into markup and reordering marks."""
    rows = [orjson.loads(line) for line in (EXAMPLES / "pass-1.jsonl").read_bytes().splitlines()]
    rows[0]["hypothesis"] = ATTACK
    rows[1]["hypothesis"] = REORDER
    (folder / "pass-1.jsonl").write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return RunConfig(
        answers=(
            AnswersConfig(file=str(folder / "pass-1.jsonl")),
            AnswersConfig(file=str(EXAMPLES / "pass-2.jsonl")),
        ),
        references=ReferencesConfig(file=str(EXAMPLES / "references.json")),
        judges=(JudgeConfig(provider="lexical"),),
        repetitions=2,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose answers attack the page."""
    folder = tmp_path_factory.mktemp("page")
    run_now(_attacking(folder), folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def page(run: Path) -> Path:
    """Its page."""
    path = run.parent / "report.html"
    assert main(["report", str(run), "--out", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def window(page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for the tests that only look."""
    with opened(tmp_path_factory.mktemp("profile")) as browser:
        browser.open(page)
        yield browser


# --- as text ------------------------------------------------------------------------------------


def test_the_policy_allows_the_page_itself_and_nothing_else(page: Path) -> None:
    """Script and style by their hashes; no handler, no style attribute, no address."""
    text = page.read_text("utf-8")
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)[0].replace(
        "&#39;", "'"
    )
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[-1]
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)[0]
    for name, part in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    body = text.replace(script, "").replace(style, "")

    assert policy.startswith("default-src 'none'")
    assert not re.search(r"<[a-z][^>]*\s(style|on[a-z]+)=", body)
    assert not re.search(r'(src|href)="(?!#)', body)


def test_the_same_run_gives_the_same_page(run: Path, page: Path, tmp_path: Path) -> None:
    """No clock and no chance."""
    again = tmp_path / "again.html"
    assert main(["report", str(run), "--out", str(again)]) == 0

    assert again.read_bytes() == page.read_bytes()


def test_the_claim_and_what_it_rests_on_come_first(run: Path, page: Path) -> None:
    """State, counts, gate, head, plan, answers by their digests, and the paragraph to copy."""
    [opened_run] = open_runs([run])
    text = page.read_text("utf-8")
    proof = opened_run.proof

    assert text.index("complete") < text.index("What it rests on") < text.index("Counts before")
    for part in (proof.head, proof.run_id, proof.manifest.plan_sha256):
        assert part in text
    assert f"SHA-256 {proof.plan.sources[0].sha256}" in text
    methods = text[text.index('id="methods-text"') :]
    assert proof.plan.conditions[0].rubric_pin in methods
    assert "string rule of the harness" in methods


def test_an_open_and_a_failed_run_have_a_page_without_a_rate(tmp_path: Path) -> None:
    """It says what there is."""

    def always_no(turn: Turn) -> None:
        turn.reply["choices"][0]["message"]["content"] = "no"

    with SmallJudge(always_no) as server:
        ran(configured("openai", server.base_url("openai")), tmp_path / "failed")
    assert main(["report", str(tmp_path / "failed"), "--out", str(tmp_path / "f.html")]) == 0
    text = (tmp_path / "f.html").read_text("utf-8")

    assert "gate failed" in text
    assert "no score: the judge failed its known answers" in text
    assert "Wilson 95 % (" not in text
    assert "Re-judged" not in text


def test_a_run_that_does_not_prove_itself_has_no_page(run: Path, tmp_path: Path) -> None:
    """Exit 6, and no file."""
    shutil.copytree(run, tmp_path / "run")
    path = tmp_path / "run" / "receipts.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"label":"yes"', b'"label":"no"', 1))

    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "r.html")]) == 6
    assert not (tmp_path / "r.html").exists()


def test_a_page_that_exists_is_left_alone(run: Path, page: Path) -> None:
    """Unless it is said to be written over."""
    assert main(["report", str(run), "--out", str(page)]) == 2
    assert main(["report", str(run), "--out", str(page), "--force"]) == 0


def test_a_superseded_run_says_so_on_its_page(tmp_path: Path) -> None:
    """Where nobody can overlook it."""
    with SmallJudge() as server:
        config = configured("openai", server.base_url("openai"))
        ran(config, tmp_path / "one"), ran(config, tmp_path / "two")
    words = ["mark", str(tmp_path / "one"), "--superseded-by", str(tmp_path / "two")]
    assert main([*words, "--reason", "a wrong key"]) == 0
    assert main(["report", str(tmp_path / "one"), "--out", str(tmp_path / "r.html")]) == 0
    text = (tmp_path / "r.html").read_text("utf-8")

    assert "superseded by two" in text[: text.index("What it rests on")]


def test_figures_are_written_as_files_too(run: Path, tmp_path: Path) -> None:
    """SVG and PNG, the same bytes each time; a file of that name is left alone."""
    pytest.importorskip("matplotlib")
    for folder in ("a", "b"):
        words = ["report", str(run), "--out", str(tmp_path / f"{folder}.html")]
        assert main([*words, "--figures", str(tmp_path / folder)]) == 0
    names = sorted(path.name for path in (tmp_path / "a").iterdir())

    assert names == [
        *("controls.png", "controls.svg", "flips.png", "flips.svg", "scores.png", "scores.svg"),
    ]
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    again = ["report", str(run), "--out", str(tmp_path / "c.html")]
    assert main([*again, "--figures", str(tmp_path / "a")]) == 2


def test_texts_are_embedded_up_to_a_limit(run: Path) -> None:
    """Those of flips always; what is left out is counted."""
    columns = [column for each in open_runs([run]) for column in each.columns()]
    whole = browser(columns, {"user-01"})
    less = browser(columns, {"user-01"}, limit=2000)
    flips = browser(columns, {"user-01"}, "flips")
    none = browser(columns, {"user-01"}, "none")

    assert whole.texts_left_out == 0
    assert 0 < less.texts_left_out < 72
    assert (flips.texts_left_out, none.texts_left_out) == (71, 72)
    assert ATTACK in flips.data["texts"]  # type: ignore[operator]
    assert ATTACK not in none.data["texts"]  # type: ignore[operator]


def test_embedded_json_cannot_end_its_element() -> None:
    """Whatever texts it holds; and it is the same value."""
    value = {"a": ATTACK, "b": "\u2028&<!--"}
    text = embedded(value)

    assert not set("<>&\u2028\u2029") & set(text)
    assert orjson.loads(text) == value
    assert visible("a\tb\u202ec") == "a\tb⟨U+202E⟩c"


# --- in a browser -------------------------------------------------------------------------------


@needs_browser
def test_the_page_complains_of_nothing_and_asks_for_nothing(page: Path, tmp_path: Path) -> None:
    """No error, no request but for the file itself, and no script of an answer runs."""
    with opened(tmp_path / "profile") as browser:
        browser.open(page)
        assert browser.complaints() == []
        assert browser.requested() == [page.as_uri()]
        assert browser.run("return document.title") == "judge: run"


@needs_browser
def test_the_policy_would_stop_a_script_that_got_in(page: Path, tmp_path: Path) -> None:
    """A page with one script more: it does not run."""
    bad = tmp_path / "bad.html"
    text = page.read_text("utf-8")
    bad.write_text(
        text.replace("<main>", "<main><script>document.title='owned'</script>", 1), "utf-8"
    )
    with opened(tmp_path / "profile") as browser:
        browser.open(bad)
        assert browser.run("return document.title") == "judge: run"
        assert any("Content Security Policy" in line for line in browser.complaints())


@needs_browser
def test_foreign_text_stands_there_as_text(window: Browser) -> None:
    """Markup is shown, reordering marks are spelled out, in the list and in the details."""
    find = window.driver.find_element
    _search(window, "document.title")
    find(By.CSS_SELECTOR, "#grid .row").click()
    shown = str(window.run("return document.getElementById('detail').textContent"))
    assert ATTACK in shown
    assert window.run("return document.querySelectorAll('#detail img, #detail script').length") == 0
    _search(window, "evil")
    find(By.CSS_SELECTOR, "#grid .row").click()
    shown = str(window.run("return document.getElementById('detail').textContent"))
    assert "⟨U+202E⟩evil⟨U+202C⟩ ⟨U+200B⟩hidden שלום" in shown
    assert "\u202e" not in str(window.run("return document.body.innerText"))


def _search(window: Browser, text: str) -> None:
    """Type into the search box and wait until the list has followed."""
    box = window.driver.find_element(By.ID, "search")
    box.clear()
    # An empty box says nothing of its own when it is cleared.
    box.send_keys(text or " ")
    window.run("return new Promise(done => setTimeout(done, 400))")


@needs_browser
def test_search_and_filters_count_what_they_show(window: Browser) -> None:
    """By text, by condition, by label, flips only."""
    _search(window, "user-03")
    count = "return document.getElementById('count').textContent"
    assert window.run(count) == "4 of 288 judgments, 1 items"
    _search(window, "")
    change = (
        "const box = document.getElementById(arguments[0]); box.value = arguments[1];"
        "box.dispatchEvent(new Event('change'));" + count
    )
    assert window.run(change, "by-column", "0") == "72 of 288 judgments, 72 items"
    told = window.run(
        "return [...document.getElementById('by-label').options].map(o => [o.value, o.text])"
    )
    no = next(value for value, name in told if name == "no")
    assert str(window.run(change, "by-label", no)).startswith(("35 of", "34 of", "33 of"))
    assert str(window.run(change, "by-label", "-1")).startswith("0 of 288")
    window.run(change, "by-label", ""), window.run(change, "by-column", "")
    tick = (
        "const box = document.getElementById('differing'); box.checked = !box.checked;"
        "box.dispatchEvent(new Event('change'));" + count
    )
    some = int(str(window.run(tick)).split()[0])
    assert 0 < some < 288
    window.run(tick)


@needs_browser
def test_the_list_can_be_walked_by_keyboard(window: Browser) -> None:
    """Arrows move, Enter opens, and what is active is said."""
    _search(window, "")
    grid = window.driver.find_element(By.ID, "grid")
    grid.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    active = window.run(
        "return document.getElementById('grid').getAttribute('aria-activedescendant')"
    )

    assert active == "row-1"
    assert "is shown below the list" in str(
        window.run("return document.getElementById('opened').textContent")
    )
    grid.send_keys(Keys.END)
    assert (
        window.run("return document.querySelector('.row[aria-selected=true]').ariaRowIndex")
        == "288"
    )
    assert window.run("return document.querySelector('.skip').getAttribute('href')") == "#claims"


@needs_browser
def test_the_methods_can_be_copied(window: Browser) -> None:
    """The button selects the paragraph and says that it was copied."""
    button = window.driver.find_element(By.ID, "copy")
    window.run("arguments[0].scrollIntoView({behavior: 'instant'})", button)
    button.send_keys(Keys.ENTER)
    window.run("return new Promise(done => setTimeout(done, 100))")

    assert window.run("return document.getElementById('copied').textContent") == "copied"


@needs_browser
@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_reaches_beyond_the_window(
    width: int, theme: str, page: Path, tmp_path: Path
) -> None:
    """However narrow; and the page is as dark as the reader wishes, or as they then say."""
    with opened(tmp_path / "profile", width=1280, dark=theme == "dark") as browser:
        browser.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        browser.open(page)
        reach = browser.run("return document.documentElement.scrollWidth - innerWidth")
        paper = "return getComputedStyle(document.body).backgroundColor"
        before = browser.run(paper)
        browser.run("document.getElementById('theme').click()")
        after = browser.run(paper)

    assert reach <= 0
    assert before == ("rgb(21, 23, 27)" if theme == "dark" else "rgb(251, 250, 248)")
    assert after != before


@needs_browser
def test_a_printed_page_has_every_item_opened(page: Path, tmp_path: Path) -> None:
    """What is folded on the screen is printed; the searchable list is not."""
    with opened(tmp_path / "profile") as browser:
        browser.open(page)
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        grid = browser.run("return getComputedStyle(document.getElementById('grid')).display")
        heights = browser.run(
            "return [...document.querySelectorAll('details.item .foreign')].slice(0, 5)"
            ".map(each => each.getBoundingClientRect().height)"
        )

    assert grid == "none"
    assert heights
    assert min(heights) > 0


# --- other kinds of labels ------------------------------------------------------------------------

_ROWS = {
    "q1": ("geography", "Capital of Chad?", "N'Djamena", "It is N'Djamena."),
    "q2": ("geography", "Capital of Mali?", "Bamako", "It is Sikasso."),
    "q3": ("geography", "Capital of Peru?", "Lima", "I do not know."),
    "q4": ("geography", "Capital of Laos?", "Vientiane", "Vientiane, I think."),
    "q5": ("geography", "Capital of Fiji?", "Suva", "Suva."),
}


@pytest.mark.skipif(not SHARED.is_dir(), reason="the folder ../shared is not here")
def test_three_labels_and_grades_have_their_page_and_studies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three labels keep apart what two would fold; grades have no rate and no analysis of one."""
    monkeypatch.setenv("JUDGE_HOME", str(tmp_path / "home"))
    three = brought("simpleqa/upstream", tmp_path, ".py")
    words = {"right": "A", "wrong": "B", "none": "C"}
    judged(three, _ROWS, lambda row: words[sound(row)], tmp_path / "three", repetitions=2)
    grades = brought("mt-bench-single/upstream", tmp_path, ".jsonl")
    rated = {"right": "[[9]]", "wrong": "[[2]]", "none": "[[1]]"}
    outcome = judged(
        grades, _ROWS, lambda row: rated[sound(row)], tmp_path / "grades", repetitions=2
    )
    assert outcome.exit_code == 0
    for name in ("three", "grades"):
        folder = str(tmp_path / name / "run")
        assert main(["report", folder, "--out", str(tmp_path / f"{name}.html")]) == 0
        assert main(["study", "all", folder]) == 0
        assert main(["export", folder, "--csv", str(tmp_path / f"{name}.csv")]) == 0
    said = capsys.readouterr().out
    assert "5 of 5 items with one label throughout" in said
    page_of_grades = (tmp_path / "grades.html").read_text("utf-8")
    assert "mean grade 6." in page_of_grades
    assert "accepted:" not in page_of_grades
    assert "60.0%" in (tmp_path / "three.html").read_text("utf-8")
    words_of_autoeval = ["export", str(tmp_path / "grades" / "run"), "--autoeval"]
    assert main([*words_of_autoeval, str(tmp_path / "x"), "--repetition", "1"]) == 2
    assert "gives grades" in capsys.readouterr().err


def test_a_public_export_has_a_page_and_studies_without_texts(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --public; without it the sentence says so."""
    public = str(tmp_path / "public")
    assert main(["export", str(run), "--public", public]) == 0
    assert main(["report", public, "--out", str(tmp_path / "p.html")]) == 6
    assert "add --public" in capsys.readouterr().err
    assert main(["report", public, "--public", "--out", str(tmp_path / "p.html")]) == 0
    assert main(["study", "all", public, "--public"]) == 0
    assert "lengths: the responses are not here" in capsys.readouterr().out
    assert ATTACK not in (tmp_path / "p.html").read_text("utf-8")


def test_names_of_folders_and_models_are_foreign_text_too(tmp_path: Path) -> None:
    """A folder and a model may be called what they like."""
    name = "<b>\u202erun"
    with SmallJudge() as server:
        config = configured("openai", server.base_url("openai"))
        [only] = config.judges
        odd = only.model_copy(update={"model": "<i>m</i>", "name": "m"})
        ran(config.model_copy(update={"judges": (odd,)}), tmp_path / name)
    assert main(["report", str(tmp_path / name), "--out", str(tmp_path / "r.html")]) == 0
    text = (tmp_path / "r.html").read_text("utf-8")

    assert "<b>" not in text
    assert "<i>m" not in text
    assert "\u202e" not in text
    assert "&lt;b&gt;⟨U+202E⟩run" in text
