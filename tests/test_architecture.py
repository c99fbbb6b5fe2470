"""What no single module can promise: who knows whom, how long a module may be, and what is never written down."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("accounts", "wallet", "games", "games.complaints", "lobby", "rulebook")
PURE = ("games/engine", "games/table")
LONGEST_MODULE = 420

# A game by its code, or by its module in the engine; only data and page text may name one.
GAME = re.compile(r"""bigtwo|doudizhu|big_two|dou_dizhu|["'](?:classic|qq|mala|taiwan)\b""")
MAY_NAME_GAMES = ("games/naming.py", "lobby/seeds.py", "rulebook/books/", "templates/rulebook/")
ASKS_NO_GAME = (
    "accounts/", "config/", "games/", "lobby/", "rulebook/", "static/css/", "static/js/", "templates/", "wallet/",
)  # fmt: skip
READABLE = (".py", ".html", ".js", ".css", ".txt")

# In halves, so that this file does not fail its own test.
NEVER_WRITTEN = tuple(
    "".join(halves)
    for halves in (
        ("/wo", "rk/"),
        ("../sha", "red"),
        ("sand", "box"),
        ("pypi", ".org"),
        ("python", "hosted"),
        ("npmjs", ".org"),
        ("deb.", "debian"),
        ("BEGIN PRIVATE", " KEY"),
    )
)
# Chromium's flag is the only honest use of the word.
ALLOWED = ("--no-" + "sand" + "box",)


@cache
def tracked() -> tuple[Path, ...]:
    """Return all files that git keeps, or is about to."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return tuple(path for name in listed if (path := ROOT / name).is_file())


def modules(*folders: str) -> list[Path]:
    """Return the Python modules below these folders, without migrations."""
    return [
        path
        for path in tracked()
        if path.suffix == ".py"
        and path.relative_to(ROOT).as_posix().startswith(tuple(f"{folder}/" for folder in folders))
        and "migrations" not in path.parts
    ]


def app_of(dotted: str) -> str | None:
    """Return the app a dotted name belongs to: the longest that fits."""
    fitting = [app for app in APPS if dotted == app or dotted.startswith(f"{app}.")]
    return max(fitting, key=len, default=None)


def dotted_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each imported name in full, with its line; what only a type checker reads is left out."""
    package = path.relative_to(ROOT).parent.parts
    pending: list[ast.AST] = [ast.parse(path.read_text(), str(path))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending.extend(node.orelse)
            continue
        pending.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)


def where(path: Path, line: int) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def test_engine_and_table_machine_import_the_standard_library_alone_and_neither_dice_nor_clock() -> None:
    ours = ("games.engine", "games.table")
    wrong = []
    for path in modules(*PURE):
        may = ours if path.is_relative_to(ROOT / "games/table") else ours[:1]
        for name, line in imports(path):
            top = name.split(".")[0]
            pure = name.startswith(tuple(f"{package}." for package in may)) or name in may
            standard = top in sys.stdlib_module_names and top not in ("random", "time")
            if not (pure or standard):
                wrong.append(f"{where(path, line)} imports {name}")
    assert not wrong, wrong


def test_the_engine_imports_where_there_is_no_django() -> None:
    check = "import sys, games.engine, games.table; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-S", "-c", check], cwd=ROOT).returncode == 0


def test_an_app_never_touches_the_models_of_another() -> None:
    wrong = []
    for path in modules(*(app.replace(".", "/") for app in APPS)):
        own = app_of(dotted_name(path))
        for name, line in imports(path):
            app = app_of(name)
            if app and app != own and name.removeprefix(f"{app}.").split(".")[0] == "models":
                wrong.append(f"{where(path, line)} imports {name}")
    assert not wrong, wrong


def test_nothing_outside_the_engine_asks_which_game_it_is() -> None:
    asking = []
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if (
            not name.startswith(ASKS_NO_GAME)
            or name.startswith(("games/engine/", *MAY_NAME_GAMES))
            or "migrations" in path.parts
            or path.suffix not in READABLE
        ):
            continue
        for line, text in enumerate(path.read_text().splitlines(), 1):
            if GAME.search(text):
                asking.append(f"{name}:{line}: {text.strip()[:80]}")
    assert not asking, asking


def test_the_search_for_games_finds_one() -> None:
    for line in (
        'if table.ruleset == "bigtwo.qq":',
        "import dou_dizhu",
        "if (code.endsWith('mala'))",
        '"qq" in tier',
    ):
        assert GAME.search(line), line
    assert not GAME.search("the Taiwan rules of Big Two, classic or not")


def test_no_module_is_called_utils_or_helpers() -> None:
    assert not [path for path in tracked() if path.stem in ("utils", "helpers", "util", "helper", "common")]


def test_a_module_says_what_lives_in_it() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in modules("accounts", "config", "games", "lobby", "rulebook", "tests", "wallet")
        if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert not silent, silent


def test_no_module_is_too_long() -> None:
    lengths = {
        str(path.relative_to(ROOT)): path.read_text().count("\n")
        for path in modules("accounts", "config", "games", "lobby", "rulebook", "wallet")
    }
    assert not {name: length for name, length in lengths.items() if length > LONGEST_MODULE}


@pytest.mark.parametrize("words", NEVER_WRITTEN)
def test_no_file_names_places_that_are_not_the_products_own(words: str) -> None:
    found = []
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for allowed in ALLOWED:
            text = text.replace(allowed, "")
        if words.lower() in text.lower():
            found.append(str(path.relative_to(ROOT)))
    assert not found, found


def test_pins_have_hashes_and_no_address() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text()
        pins = text.count("==")
        assert pins > 20, path
        assert text.count("\n    --hash=sha256:") >= pins
        assert "://" not in text
        assert "--index-url" not in text and "--find-links" not in text
