"""Keep the catalogues of words in step with pages, scripts and code, and compile them, without GNU gettext.

    python -m config.locale.words           write new words into the .po files, compile the .mo files
    python -m config.locale.words --check   change nothing; say what is missing, unused or stale, exit 1 if anything is

Two domains: `django` (templates and Python) and `djangojs` (static/js). English stands in the sources. A new word is
added with an empty translation, one that is used no more is dropped. Needs Babel, which is among the tests' packages.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import django
from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LANGUAGES = ("zh_Hans", "zh_Hant")
APPS = ("accounts", "config", "games", "lobby", "rulebook", "wallet")
# Written into compiled files, so that the same words give the same bytes.
MADE = datetime(2026, 1, 1, tzinfo=UTC)
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
}
# A call of one of the four in a script; their words are always plain literals. (Babel skips calls within calls.)
SCRIPT_CALL = re.compile(r"(?<![\w.$])(t|parts|tn|tp)\(\s*'((?:[^'\\]|\\.)*)'(?:,\s*'((?:[^'\\]|\\.)*)')?")
Message = str | tuple[str, ...] | list[str]


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob(pattern)) if "migrations" not in path.parts)


def _of_scripts() -> Iterator[tuple[Path, Message, str | None]]:
    for path in _files(ROOT / "static" / "js", "*.js"):
        for call, *words in SCRIPT_CALL.findall(path.read_text("utf-8")):
            first, second = (word.replace("\\'", "'") for word in words)
            yield (
                path,
                (first, second) if call == "tn" else second if call == "tp" else first,
                first if call == "tp" else None,
            )


def _of_pages() -> Iterator[tuple[Path, Message, str | None]]:
    sources = [
        (path, templatize(path.read_text("utf-8"), origin=str(path)).encode())
        for pattern in ("*.html", "*.txt")
        for path in _files(ROOT / "templates", pattern)
    ]
    sources += [(path, path.read_bytes()) for app in APPS for path in _files(ROOT / app, "*.py")]
    for path, source in sources:
        for _line, message, _comments, context in extract("python", BytesIO(source), keywords=KEYWORDS):
            yield path, message, context


def used(domain: str) -> Catalog:
    """Return the catalogue of all words in use, without translations."""
    catalog = Catalog(charset="utf-8")
    for path, message, context in _of_scripts() if domain == "djangojs" else _of_pages():
        name = str(path.relative_to(ROOT))
        known = catalog.get(_key(message), context)
        is_new = known is None or (name, None) not in known.locations  # type: ignore[comparison-overlap]
        where = [(name, None)] if is_new else []
        catalog.add(message, locations=where, context=context)  # type: ignore[arg-type]
    return catalog


def _key(message: Message) -> str:
    return message if isinstance(message, str) else message[0]


def po_file(language: str, domain: str) -> Path:
    """Return where a catalogue is kept."""
    return HERE / language / "LC_MESSAGES" / f"{domain}.po"


def kept(language: str, domain: str) -> Catalog:
    """Read a catalogue, or begin one."""
    path = po_file(language, domain)
    if not path.exists():
        return Catalog(locale=language, charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, locale=language, domain=domain)


def compiled(catalog: Catalog) -> bytes:
    """Return the .mo file of a catalogue."""
    catalog.creation_date = catalog.revision_date = MADE
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def _words_of(catalog: Catalog) -> dict[tuple[str, str | None], object]:
    return {(_key(m.id), m.context): m.string for m in catalog if m.id and any(m.string or ())}


def faults(language: str, domain: str) -> list[str]:
    """Say what is wrong with a catalogue, a line each."""
    catalog, needed = kept(language, domain), used(domain)
    have = {(_key(m.id), m.context): m for m in catalog if m.id}
    want = {(_key(m.id), m.context): m for m in needed if m.id}
    where = f"{language}/{domain}"
    lines = [f"{where}: no word for {text!r}" for (text, context) in want if (text, context) not in have]
    lines += [
        f"{where}: not used any more: {text!r}" for (text, context) in have if (text, context) not in want
    ]
    for (text, _), message in have.items():
        strings = [text or "" for text in _each(message.string)]
        if not all(strings):
            lines.append(f"{where}: empty: {text!r}")
        elif set(_gaps(text)) - set().union(*(_gaps(s) for s in strings)) - {"s"} or any(
            set(_gaps(s)) - set(_gaps(text)) - set(_gaps(_plural(message))) for s in strings
        ):
            lines.append(f"{where}: other gaps than in {text!r}")
    mo = po_file(language, domain).with_suffix(".mo")
    if not mo.exists() or _words_of(read_mo(BytesIO(mo.read_bytes()))) != _words_of(
        read_mo(BytesIO(compiled(catalog)))
    ):
        lines.append(f"{where}: the .mo file is stale: run python -m config.locale.words")
    return lines


def _each(strings: str | list[str] | tuple[str, ...] | None) -> Sequence[str | None]:
    return strings if isinstance(strings, list | tuple) else (strings,)


def _plural(message: object) -> str:
    ids = getattr(message, "id", "")
    return ids[1] if isinstance(ids, tuple | list) else ""


def _gaps(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text)) | set(re.findall(r"%\((\w+)\)", text))


def update(language: str, domain: str) -> None:
    """Bring a catalogue up to date and compile it."""
    old, new = kept(language, domain), Catalog(locale=language, domain=domain, charset="utf-8")
    for message in used(domain):
        if not message.id:
            continue
        known = old.get(_key(message.id), message.context)
        new.add(message.id, known.string if known else None, message.locations, context=message.context)
    path = po_file(language, domain)
    path.parent.mkdir(parents=True, exist_ok=True)
    out = BytesIO()
    write_po(out, new, width=0, omit_header=False, sort_by_file=True, include_lineno=False)
    path.write_bytes(_plain_header(language) + out.getvalue().split(b"\n\n", 1)[1])
    path.with_suffix(".mo").write_bytes(compiled(kept(language, domain)))


def _plain_header(language: str) -> bytes:
    fields = (
        f"Language: {language}",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: 8bit",
        "Plural-Forms: nplurals=1; plural=0;",
    )
    return "\n".join(['msgid ""', 'msgstr ""', *(f'"{field}\\n"' for field in fields), "", ""]).encode()


def main(arguments: list[str]) -> int:
    """Check or update all catalogues; return the exit status."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    pairs = [(language, domain) for language in LANGUAGES for domain in ("django", "djangojs")]
    if "--check" not in arguments:
        for language, domain in pairs:
            update(language, domain)
    lines = [line for language, domain in pairs for line in faults(language, domain)]
    print("\n".join(lines) or "All words have their translations.")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
