"""What `weft packs` does: list the packs, show what one brings, check its files."""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from agent.language.registry import DEFAULT
from agent.packs.load import ENDING, available, builtin, load_pack
from agent.packs.pack import Pack, PeopleSpec, ScopeSpec, SlotSpec
from agent.packs.template import Template
from bot.app import pack_folder
from bot.operator.evaluation import load_questions
from bot.operator.snippets import printable
from storage.ingest.sources import find

QUESTIONS = "eval.yaml"
"""Beside `pack.yaml`: questions that `weft eval` asks."""


def list_packs(*, as_json: bool) -> int:
    """Print the packs that come with Weft; returns the exit code. Raises PackError."""
    packs = [load_pack(builtin(name)) for name in available()]
    if as_json:
        _print_json([{"name": pack.name, "title": pack.title.texts, "folder": str(pack.folder)} for pack in packs])
        return 0
    for pack in packs:
        click.echo(f"{pack.name}\t{' / '.join(pack.title.texts.values())}")
    return 0


def show_pack(path: str, *, as_json: bool) -> int:
    """Print what a pack brings; returns the exit code. Raises PackError."""
    told = contents(load_pack(pack_folder(path)))
    if as_json:
        _print_json(told)
        return 0
    click.echo("\n".join(_lines(told)))
    return 0


def check_pack(path: str, *, as_json: bool) -> int:
    """Check a pack's files, and print what may be wrong besides; returns the exit code. Raises PackError."""
    pack = load_pack(pack_folder(path))
    questions = pack.folder / QUESTIONS
    if questions.is_file():
        load_questions(questions)
    notes = remarks(pack)
    if as_json:
        _print_json({"name": pack.name, "fine": True, "remarks": notes})
        return 0
    for note in notes:
        click.echo(f"{pack.name}: {note}", err=True)
    held = f"{len(pack.intents)} intents, {len(pack.templates)} templates"
    click.echo(f"{pack.name}: {' / '.join(pack.title.texts.values())}, {held}: fine")
    return 0


def remarks(pack: Pack) -> list[str]:
    """Return what is allowed and still mostly a mistake: files that are not read, collections that nothing reaches."""
    found = find([pack.documents]) if pack.documents.is_dir() else None
    out = [f"{refused.path}: {refused.reason}" for refused in found.refused] if found else []
    out += [f"{path}: is of no type that is read" for path in found.skipped] if found else []
    out += [
        f"templates/{file.name}: is not read; a template's file is called NAME{ENDING}"
        for file in sorted((pack.folder / "templates").glob("*"))
        if not file.name.endswith(ENDING) and not file.name.startswith(".")
    ]
    held = {name for name, each in documents(pack).items() if each["files"]}
    searched = set(pack.collections)
    scoped = {name for scope in pack.scopes for name in scope.collections}
    if searched:
        unreached = sorted((held | scoped) - searched)
        out += [
            f"collection {name} is not among `collections`: nothing of it is ever found{_meant(name, held, searched)}"
            for name in unreached
            if name != pack.name or name not in held
        ]
        if pack.name in held - searched:
            first = pack.holdings()[pack.name][0].relative_to(pack.folder)
            others = ", ".join(f"documents/{name}/" for name in sorted(searched))
            out.append(f"{first}: is never found, as {pack.name} is not among `collections`; move it into {others}")
    if pack.scopes and held - scoped and pack.flags.dynamic_rag_routing:
        lost = ", ".join(sorted(held - scoped))
        out.append(f"no scope has {lost}: where the words of a question point at a scope, it is not searched")
    if held:
        empty = sorted(scoped - held - {"documents"})
        out += [
            f"collection {name} of a scope is empty until documents are ingested into it{_meant(name, held, searched)}"
            for name in empty
        ]
    return out


def _meant(name: str, held: set[str], searched: set[str]) -> str:
    """Return which collection is likely meant by one that has no documents; empty where none is."""
    likely = get_close_matches(name, sorted((held | searched) - {name}), n=1) if name not in held else []
    return f" (pack.yaml: did you mean {likely[0]}?)" if likely else ""


def contents(pack: Pack) -> dict[str, Any]:
    """Return what a pack brings, as `weft packs show --json` prints it."""
    questions = pack.folder / QUESTIONS
    about = {
        "name": pack.name,
        "title": pack.title.texts,
        "description": pack.description.texts,
        "folder": str(pack.folder),
        "languages": list(pack.languages),
        "sample": pack.sample,
    }
    brings = {
        "intents": [
            {"name": each.name, "route": each.route, "examples": len(each.examples), "cases": each.cases is not None}
            for each in pack.intents
        ],
        "scopes": [_scope(each) for each in pack.scopes],
        "slots": [_slot(each) for each in pack.slots],
        "collections": list(pack.collections),
        "documents": documents(pack),
        "templates": [_template(each, pack) for each in pack.templates],
        "questions": len(load_questions(questions).questions) if questions.is_file() else 0,
    }
    works = {
        "teams": list(pack.teams),
        "flags": pack.flags.model_dump(),
        "synonyms": len(pack.synonyms),
        "translations": len(pack.translations),
        "emergencies": len(pack.emergencies),
        "people": {name: group for name in PeopleSpec.model_fields if (group := pack.people.on(name))},
        "disclaimer": pack.disclaimer is not None,
        "remembers": pack.flags.memory_mode != "none",
    }
    return about | brings | works


def _scope(scope: ScopeSpec) -> dict[str, Any]:
    return {
        "name": scope.name,
        "title": scope.title.texts,
        "collections": list(scope.collections),
        "keywords": len(scope.keywords),
        "intents": list(scope.intents),
    }


def _slot(slot: SlotSpec) -> dict[str, Any]:
    return {
        "name": slot.name, "title": slot.title.texts, "type": slot.type, "filter": slot.filter,
        "choices": [choice.value for choice in slot.choices], "required_for": list(slot.required_for),
    }  # fmt: skip


def _template(template: Template, pack: Pack) -> dict[str, Any]:
    own = (pack.folder / "templates" / f"{template.name}.md.j2").is_file()
    fields = [field.name for field in template.fields]
    return {"name": template.name, "title": template.title.texts, "own": own, "fields": fields}


def documents(pack: Pack) -> dict[str, Mapping[str, int]]:
    """Return how many files each collection of a pack has, and their bytes."""
    out: dict[str, Mapping[str, int]] = {}
    for name, paths in pack.holdings().items():
        files = [Path(item.path) for item in find(paths).items]
        out[name] = {"files": len(files), "bytes": sum(file.stat().st_size for file in files)}
    return out


def _lines(told: Mapping[str, Any]) -> list[str]:
    def title(each: Mapping[str, Any]) -> str:
        texts: Mapping[str, str] = each["title"]
        return printable(texts.get(DEFAULT) or next(iter(texts.values())))

    lines = [
        f"{told['name']}: {' / '.join(told['title'].values())}",
        printable(next(iter(told["description"].values()))),
    ]
    lines += [f"folder: {told['folder']}", f"languages: {', '.join(told['languages'])}"]
    sections: dict[str, list[str]] = {
        "intents": [f"{each['name']} ({each['route']}, {each['examples']} examples)" for each in told["intents"]],
        "scopes": [f"{each['name']} ({title(each)}): {', '.join(each['collections'])}" for each in told["scopes"]],
        "slots": [
            f"{each['name']} ({title(each)}, {each['type']}{', filter' if each['filter'] else ''})"
            for each in told["slots"]
        ],
        "documents": [
            f"{name}: {held['files']} files, {held['bytes'] / 1000:.0f} kB" for name, held in told["documents"].items()
        ],
        "templates": [
            f"{each['name']} ({title(each)}){'' if each['own'] else ', every pack has it'}"
            for each in told["templates"]
        ],
        "people": [f"{platform}: {printable(group)}" for platform, group in told["people"].items()],
    }
    for name, entries in sections.items():
        lines += [f"{name}: {len(entries)}", *(f"  {entry}" for entry in entries)]
    off = [name for name, value in told["flags"].items() if value in (False, "none") and name != "require_web_search"]
    lines += [f"switched off: {', '.join(off) or 'nothing'}"]
    counts = ("synonyms", "translations", "emergencies", "questions")
    return [*lines, ", ".join(f"{told[name]} {name}" for name in counts)]


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))
