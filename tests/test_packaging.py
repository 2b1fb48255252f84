"""What is built: the wheel and the source archive carry every shipped file, byte for byte."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import hatchling.build
import pytest

ROOT = Path(__file__).parents[1]
SHIPPED = ("templates", "controls")
ROOTS = ("README.md", "LICENSE", "pyproject.toml", ".gitignore", "Makefile", "requirements-dev.txt")
STRAY = ("templates/.coverage.secret", "controls/__pycache__/key.pyc", "judge/.venv/key")
"""Files on a builder's disk that the ignore rules name."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the project, with what lies about on a builder's disk."""
    folder = tmp_path_factory.mktemp("project")
    for name in (*SHIPPED, "judge", "examples", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ROOTS:
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, folder / name)
    for name in STRAY:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("secret", encoding="utf-8")
    return folder


def _built(copy: Path, folder: Path, how: str) -> Path:
    # In a process of its own: a build changes into the project's folder.
    code = (
        "import os, sys, hatchling.build as build; os.chdir(sys.argv[1]);"
        "print(getattr(build, sys.argv[3])(sys.argv[2]))"
    )
    command = [sys.executable, "-c", code, str(copy), str(folder), how]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """Build the wheel."""
    path = _built(copy, tmp_path_factory.mktemp("wheel"), "build_wheel")
    with zipfile.ZipFile(path) as found:
        yield found


@pytest.fixture(scope="module")
def sdist(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Build the source archive, and return its files by name."""
    path = _built(copy, tmp_path_factory.mktemp("sdist"), "build_sdist")
    found: dict[str, bytes] = {}
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member)
            if file is not None:
                found[member.name.partition("/")[2]] = file.read()
    return found


def _files(copy: Path, *folders: str) -> dict[str, bytes]:
    """Return what is to be shipped from some folders of the project, by name."""
    files = [path for name in folders for path in sorted((copy / name).rglob("*"))]
    names = {str(path.relative_to(copy)): path for path in files if path.is_file()}
    return {name: path.read_bytes() for name, path in names.items() if name not in STRAY}


def test_the_wheel_carries_templates_and_controls(copy: Path, wheel: zipfile.ZipFile) -> None:
    """Inside the package, each file as it is here."""
    files = _files(copy, *SHIPPED)

    assert {name.partition("/")[0] for name in files} == set(SHIPPED)
    assert {name: wheel.read(f"judge/{name}") for name in files} == files


def test_the_wheel_carries_every_module(copy: Path, wheel: zipfile.ZipFile) -> None:
    """As it is here, with the mark that says they are typed."""
    files = _files(copy, "judge")

    assert "judge/py.typed" in files
    assert {name: wheel.read(name) for name in files} == files


def test_the_wheel_carries_nothing_else(copy: Path, wheel: zipfile.ZipFile) -> None:
    """No tests, no examples, no run, nothing that lies about."""
    modules = set(_files(copy, "judge"))
    data = {f"judge/{name}" for name in _files(copy, *SHIPPED)}

    assert {n for n in wheel.namelist() if ".dist-info/" not in n} == modules | data


def test_the_source_archive_carries_what_the_wheel_is_made_of(
    copy: Path, sdist: dict[str, bytes]
) -> None:
    """Byte for byte, with the tests and their files beside it."""
    files = _files(copy, "judge", *SHIPPED, "tests", "examples")

    assert {name: sdist.get(name) for name in files} == files
    assert "pyproject.toml" in sdist


@pytest.mark.parametrize("stray", STRAY)
def test_what_lies_about_is_not_shipped(
    wheel: zipfile.ZipFile, sdist: dict[str, bytes], stray: str
) -> None:
    """An ignored file may hold a key."""
    names = [*wheel.namelist(), *sdist]

    assert not [name for name in names if name.endswith(stray.rpartition("/")[2])]


def test_an_installed_wheel_finds_what_was_shipped(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Without the project beside it."""
    wheel.extractall(tmp_path)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]);"
        "import judge; from judge import packs, controls;"
        "assert judge.__file__.startswith(sys.argv[1]), judge.__file__;"
        "print(packs.load('correctness/v1').pin, len(controls.abstention_texts().declining))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )

    assert done.stdout.split()[0] in (ROOT / "templates/correctness/v1.yaml").read_text("utf-8")


def test_the_build_needs_no_more_than_hatchling() -> None:
    """So that it can be built without a network."""
    assert hatchling.build.get_requires_for_build_wheel() == []
    assert hatchling.build.get_requires_for_build_sdist() == []
