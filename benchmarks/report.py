"""A page of 50,000 judgments: how long it takes to make, to open and to filter in Chromium.

`python benchmarks/report.py [ROWS]`. The run is real: the embedded judge over made answers.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import opened

from judge.config import AnswersConfig, JudgeConfig, ReferencesConfig, RunConfig
from judge.judging import run
from judge.report.page.writing import page
from judge.studies.columns import open_runs

_WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "maple",
]
_SEARCH = """
const box = document.getElementById('search');
const count = document.getElementById('count');
const before = performance.now();
box.value = arguments[0];
box.dispatchEvent(new Event('input'));
return new Promise(done => {
  const seen = new MutationObserver(() => { seen.disconnect();
    requestAnimationFrame(() => done([performance.now() - before, count.textContent])); });
  seen.observe(count, {childList: true, characterData: true, subtree: true});
});
"""


def _material(folder: Path, rows: int) -> RunConfig:
    """Questions with golds, and answers that hold it two times out of three."""
    key, answers = [], []
    for number in range(rows):
        word = _WORDS[number % len(_WORDS)]
        gold = f"{word} {number}"
        name = f"q{number:06d}"
        key.append({"id": name, "type": word, "question": f"Which tree is {number}?", "gold": gold})
        said = gold if number % 3 else "nothing of the kind"
        text = f"I looked at it for a while. {said}. " + " ".join(_WORDS) * 3
        answers.append({"id": name, "response": text})
    for name, found in (("key.jsonl", key), ("answers.jsonl", answers)):
        text = "".join(json.dumps(row) + "\n" for row in found)  # noqa: TID251 - foreign files
        (folder / name).write_text(text, encoding="utf-8")
    return RunConfig(
        answers=(AnswersConfig(file=str(folder / "answers.jsonl")),),
        references=ReferencesConfig(file=str(folder / "key.jsonl")),
        judges=(JudgeConfig(provider="lexical"),),
        positive=13,
        negative=13,
    )


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(_material(folder, rows), folder / "run")
        start = time.perf_counter()
        opened_runs = open_runs([folder / "run"])
        proved = time.perf_counter()
        made = page(opened_runs)
        written = time.perf_counter()
        path = folder / "report.html"
        path.write_bytes(made.html)
        print(f"{rows} judgments, {len(made.html) / 1e6:.1f} MB")
        print(f"proved and read in {proved - start:.1f} s, page made in {written - proved:.1f} s")
        with opened(folder / "profile") as browser:
            before = time.perf_counter()
            browser.open(path)
            print(f"opens in {time.perf_counter() - before:.2f} s")
            for text in ("nothing of", "q04", "heron 1", ""):
                took, told = browser.run(_SEARCH, text)
                print(f"search {text!r}: {took / 1000:.2f} s, a pause of 0.12 s in it; {told}")


if __name__ == "__main__":
    main()
