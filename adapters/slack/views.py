"""Modals and the app's home: pure functions to Slack's views, within its limits (docs.slack.dev/reference/views)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.desk import Remembered, Shelf
from adapters.slack.mrkdwn import escape, from_markdown
from adapters.slack.render import sections
from adapters.wishes import preferences_of, wishes
from agent.language import say
from agent.text import clipped, normalise, section_path
from agent.types import ChannelMode, Language, Passage, Preferences, Reason, ReasonKind

View = dict[str, Any]
Block = dict[str, Any]

ASK, SETTINGS, REASON, PASSAGE = "weft_ask", "weft_settings", "weft_reason", "weft_passage"
"""The ids of the modals."""
FORGET_ALL, FORGET_FACT, FORGET_QUESTION = "weft_forget_all", "weft_forget_fact:", "weft_forget_question:"
OPEN_SETTINGS = "weft_open_settings"
_SHELVES, _FACTS, _QUESTIONS = 20, 15, 10
_QUESTION_LIMIT = 3_000
_PASSAGE_LIMIT = 20_000
"""Characters of a passage that are shown: a modal takes 100 blocks of 3,000."""


def ask(language: Language, about: Mapping[str, str]) -> View:
    """Return what asks for a question about a message."""
    text = {"type": "plain_text_input", "action_id": "q", "multiline": True, "max_length": _QUESTION_LIMIT}
    block = {
        "type": "input",
        "block_id": "question",
        "optional": True,
        "label": _plain(say("ask_about_label", language)),
        "hint": _plain(say("ask_about_hint", language)),
        "element": text,
    }
    return _modal(ASK, say("ask_about", language), [block], language, submit="send", metadata=about)


def settings(language: Language, preferences: Preferences, mode: ChannelMode | None, about: Mapping[str, str]) -> View:
    """Return how somebody is answered, and what is answered in the channel that they stand in, to be changed."""
    blocks = [_choice(wish.name, wish.label, wish.options, wish.chosen) for wish in wishes(preferences, language)]
    if mode is not None:
        told = {each.value: f"{each.value}: {say(f'mode_{each.value}', language)}" for each in ChannelMode}
        blocks.append(_choice("mode", say("mode_label", language), told, mode.value))
    return _modal(SETTINGS, say("settings_title", language), blocks, language, submit="save", metadata=about)


def reason(language: Language, about: Mapping[str, str]) -> View:
    """Return what asks why an answer is not helpful."""
    kinds = [_option(kind.value, say(f"reason_{kind.value}", language)) for kind in ReasonKind]
    chosen = {"type": "radio_buttons", "action_id": "kind", "options": kinds, "initial_option": kinds[0]}
    words = {"type": "plain_text_input", "action_id": "text", "multiline": True, "max_length": 1_000}
    blocks: list[Block] = [
        {"type": "input", "block_id": "kind", "label": _plain(say("reason_title", language)), "element": chosen},
        {
            "type": "input",
            "block_id": "text",
            "optional": True,
            "label": _plain(say("reason_words", language)),
            "element": words,
        },
    ]
    return _modal(REASON, say("thumb_down", language), blocks, language, submit="send", metadata=about)


def passage(found: Passage | None, language: Language) -> View:
    """Return a passage as it stands in its document; or that it is not there for who asked."""
    if found is None:
        return _modal(PASSAGE, say("source_title", language), [_section(say("source_closed", language))], language)
    title = normalise(found.title) or found.document_id
    head = f"*{escape(clipped(title, 300))}*"
    if section := section_path(found.section, below=title):
        head += f" › {escape(clipped(section, 300))}"
    if found.page is not None:
        head += ", " + escape(say("page", language, page=found.page))
    text = list(sections(clipped(found.text, _PASSAGE_LIMIT)))
    return _modal(PASSAGE, say("source_title", language), [_section(head), *text], language)


def home(
    language: Language,
    *,
    title: str,
    description: str,
    shelves: Sequence[Shelf],
    remembered: Remembered,
    prompts: Sequence[str],
) -> View:
    """Return the app's home of one person: what Weft knows, and what it knows of them."""
    blocks = [{"type": "header", "text": _plain(clipped(title, 150))}, _section(escape(clipped(description, 2_000)))]
    lines = [f"• {escape(clipped(prompt, 200))}" for prompt in prompts[:4]]
    if lines:
        blocks.append(_section("\n".join([f"*{escape(say('try_asking', language))}*", *lines])))
    known = [
        f"• {escape(clipped(shelf.name, 100))} ({escape(say('documents_of', language, documents=shelf.documents))})"
        for shelf in shelves[:_SHELVES]
    ]
    told = [say("desk_sources", language), *known] if known else [say("desk_no_sources", language)]
    blocks += [{"type": "divider"}, _section("\n".join(told)), {"type": "divider"}]
    blocks += _memory(language, remembered)
    buttons = [_button(OPEN_SETTINGS, say("settings_title", language))]
    if remembered.facts or remembered.questions:
        buttons.append(_button(FORGET_ALL, say("forget_all", language), style="danger"))
    return {"type": "home", "blocks": [*blocks, {"type": "actions", "elements": buttons}]}


def _memory(language: Language, remembered: Remembered) -> list[Block]:
    if not remembered.enabled:
        return [_section(escape(say("no_memory", language)))]
    if not (remembered.facts or remembered.questions):
        return [_section(escape(say("nothing_known", language)))]
    blocks = []
    if remembered.facts:
        blocks.append(_section(f"*{escape(say('known_about_you', language))}*"))
        for fact in remembered.facts[:_FACTS]:
            text = escape(f"{clipped(fact.title, 100)}: {clipped(fact.value, 200)}")
            blocks.append(_deletable(text, f"{FORGET_FACT}{fact.name}"[:255], fact.name, language))
    if remembered.questions:
        blocks.append(_section(f"*{escape(say('latest_questions', language))}*"))
        for memory in remembered.questions[:_QUESTIONS]:
            text = from_markdown(clipped(normalise(memory.question), 300)) or "…"
            blocks.append(_deletable(text, f"{FORGET_QUESTION}{memory.turn_id}", memory.turn_id, language))
    return blocks


def _deletable(text: str, action: str, value: str, language: Language) -> Block:
    return {**_section(text), "accessory": _button(action, say("forget_one", language), value=value)}


# --- what comes back


def chosen(view: Mapping[str, Any], block: str, action: str) -> str:
    """Return what somebody chose or wrote in a modal; nothing for nothing."""
    values = ((view.get("state") or {}).get("values") or {}).get(block) or {}
    value = values.get(action) or {}
    option = value.get("selected_option") or {}
    return str(option.get("value") or value.get("value") or "") if value else ""


def preferences_in(view: Mapping[str, Any]) -> Preferences:
    """Return the wishes of a modal of settings; what is none is no wish."""
    return preferences_of(lambda name: chosen(view, name, name))


def mode_in(view: Mapping[str, Any]) -> ChannelMode | None:
    """Return the mode of a modal of settings; None where it has none."""
    wanted = chosen(view, "mode", "mode")
    return next((mode for mode in ChannelMode if mode.value == wanted), None)


def reason_in(view: Mapping[str, Any]) -> Reason | None:
    """Return the reason of a modal; None for one that is not offered."""
    kind = next((each for each in ReasonKind if each.value == chosen(view, "kind", "kind")), None)
    return Reason(kind=kind, text=chosen(view, "text", "text")) if kind is not None else None


def about_in(view: Mapping[str, Any]) -> dict[str, str]:
    """Return what a modal is about, as it was opened."""
    try:
        found = json.loads(str(view.get("private_metadata") or "{}"))
    except ValueError:
        return {}
    return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}


def _modal(
    callback: str,
    title: str,
    blocks: Sequence[Block],
    language: Language,
    *,
    submit: str = "",
    metadata: Mapping[str, str] | None = None,
) -> View:
    view: View = {
        "type": "modal",
        "callback_id": callback,
        "title": _plain(clipped(title, 24)),
        "close": _plain(say("close", language)),
        "blocks": list(blocks),
    }
    if submit:
        view["submit"] = _plain(say(submit, language))
    if metadata:
        view["private_metadata"] = json.dumps(dict(metadata))[:3_000]
    return view


def _choice(name: str, label: str, options: Mapping[str, str], chosen: str) -> Block:
    listed = [_option(value, text) for value, text in options.items()]
    initial = next((each for each in listed if each["value"] == chosen), listed[0])
    element = {"type": "static_select", "action_id": name, "options": listed, "initial_option": initial}
    return {"type": "input", "block_id": name, "label": _plain(label), "element": element}


def _option(value: str, text: str) -> dict[str, Any]:
    return {"text": _plain(clipped(text, 75)), "value": value}


def _button(action: str, text: str, *, value: str = "", style: str = "") -> Block:
    button: Block = {"type": "button", "action_id": action, "text": _plain(clipped(text, 75))}
    return {**button, **({"value": value[:2_000]} if value else {}), **({"style": style} if style else {})}


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": clipped(text, 2_900), "verbatim": True}}


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": re.sub(r"\s+", " ", text) or "…", "emoji": False}
