"""The order of the modules as judge/__init__.py states it, and what each may import."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import judge

PACKAGE = Path(judge.__file__).parent
LINES: dict[tuple[str, ...], str] = {
    tuple(names.split(", ")): caption
    for names, caption in re.findall(r"^    (\S.*?)  +(\S.*)$", judge.__doc__ or "", re.MULTILINE)
}
ORDER = [name for names in LINES for name in names]
PURE = {
    *(name for names, caption in LINES.items() if "(pure)" in caption for name in names),
    *("errors", "canonical", "records"),
}
WORLD = {"os", "pathlib", "random", "socket", "subprocess", "time", "asyncio", "shutil", "tempfile"}
SDKS = {"anthropic", "httptools", "httpx2", "openai", "tenacity"}
FRAMEWORK = {"click", "rich"}
MODULES = {
    path: path.relative_to(PACKAGE).with_suffix("").parts[0]
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent != PACKAGE or not path.name.startswith("__")
}


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imported(nodes: Iterator[ast.AST]) -> set[str]:
    """Return the dotted names that are imported; of `from judge import x`, `judge.x`."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            names |= (
                {f"judge.{alias.name}" for alias in node.names} if module == "judge" else {module}
            )
    return names


def _at_load(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs when the module is imported: not what stands in functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _at_load(child)


def _tops(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def _neighbours(names: set[str]) -> set[str]:
    return {name.split(".")[1] for name in names if name.startswith("judge.")}


def _shown(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def _importing(
    names: set[str], nodes: Callable[[ast.AST], Iterator[ast.AST]], paths: set[Path]
) -> set[str]:
    """Return which of these modules import one of these names, and which."""
    return {
        f"{_shown(path)} imports {name}"
        for path in paths
        for name in _tops(_imported(nodes(_tree(path)))) & names
    }


def test_the_order_was_read() -> None:
    """An order that is not found would hold nothing."""
    assert len(ORDER) == len(set(ORDER)) > 30
    assert {"lexical", "gate", "stats", "strictyaml"} < PURE
    assert not {"ledger", "folder", "judging"} & PURE


def test_every_module_has_a_place() -> None:
    """No module is missing from the reading order, and none is made up."""
    assert set(MODULES.values()) == set(ORDER)


def test_imports_point_up_the_page() -> None:
    """A module imports only modules named before it, in functions too."""
    place = {name: number for number, name in enumerate(ORDER)}
    later = {
        f"{_shown(path)} imports {name}"
        for path, own in MODULES.items()
        for name in _neighbours(_imported(ast.walk(_tree(path))))
        if own in place and name in place and place[name] > place[own]
    }

    assert later == set()


def test_facts_and_rules_are_pure() -> None:
    """No file, clock, chance, process or network."""
    forbidden = WORLD | SDKS | FRAMEWORK

    assert (
        _importing(forbidden, ast.walk, {path for path, own in MODULES.items() if own in PURE})
        == set()
    )


def _reached(start: str) -> set[str]:
    """Return the modules that are imported, at load or later, from this one on."""
    reached: set[str] = set()
    waiting = {start}
    while waiting:
        name = waiting.pop()
        reached.add(name)
        for path in (path for path, of in MODULES.items() if of == name):
            waiting |= _neighbours(_imported(ast.walk(_tree(path)))) - reached
    return reached


@pytest.mark.parametrize("start", ["recount", "export", "sources"])
def test_a_proof_reaches_no_judge(start: str) -> None:
    """A run can be proved without any key, SDK or network."""
    reached = _reached(start)

    assert not reached & {"asking", "engine", "judging", "providers"}
    tops = {
        top
        for path, name in MODULES.items()
        if name in reached
        for top in _tops(_imported(_at_load(_tree(path))))
    }
    assert not tops & SDKS


def test_an_sdk_is_imported_when_its_judge_is_chosen() -> None:
    """Inside a function of judge/providers and nowhere else: each costs seconds."""
    sdks = {"anthropic", "openai"}
    others = {path for path, own in MODULES.items() if own != "providers"}

    assert _importing(sdks, _at_load, set(MODULES)) == set()
    assert _importing(sdks, ast.walk, others) == set()


def test_only_the_commands_know_the_command_line() -> None:
    """Everything else can be called from a notebook."""
    others = {path for path, own in MODULES.items() if own != "cli"}

    assert _importing({"click"}, ast.walk, others) == set()


def _loaded(code: str) -> set[str]:
    """Return the top names of the modules that this code loads in a process of its own."""
    code += "\nimport sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_a_proof_loads_no_sdk() -> None:
    """Seen from the interpreter, whatever the imports of imports are."""
    assert not _loaded("import judge.recount, judge.export, judge.sources") & SDKS


def test_judge_itself_loads_nothing() -> None:
    """Its public names are looked up when they are used."""
    assert not _loaded("import judge") & {*SDKS, *FRAMEWORK, "pydantic", "jinja2", "numpy"}


def test_every_public_name_is_there() -> None:
    """And another is an attribute error, as in any module."""
    assert judge.__all__ == sorted(judge.__all__)
    for name in judge.__all__:
        assert getattr(judge, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        judge.nothing  # noqa: B018 - looked up


def test_every_module_says_what_it_exports() -> None:
    """`__all__` names what is there, and no private name."""
    for path in MODULES:
        tree = _tree(path)
        found = [
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ]
        if not found:
            # A package that is only a docstring has nothing to export.
            assert len(tree.body) == 1, _shown(path)
            continue
        defined = {name for node in tree.body for name in _names(node)}
        assert set(found[0]) <= defined, _shown(path)
        assert not [name for name in found[0] if name.startswith("_")], _shown(path)


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {
            part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)
        }
    return set()
