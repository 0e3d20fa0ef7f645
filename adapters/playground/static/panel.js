// The passage behind a citation, with its neighbours; the quoted words are marked.

import { $, el, icon, iconButton } from "./dom.js";
import { sectionOf } from "./turn.js";
import { t } from "./words.js";

const narrow = matchMedia("(max-width: 860px)");

export class Panel {
  constructor() {
    this.node = $("panel");
    this.opener = null;
  }

  get isOpen() {
    return !this.node.hidden;
  }

  // `words` are those of the answer that stand before the mark: where the passage has them, they are marked.
  async open(citations, n, opener, words = "") {
    this.opener = opener ?? this.opener;
    this.citations = citations;
    this.n = n;
    this.words = words;
    const index = citations.findIndex((citation) => citation.n === n);
    const citation = citations[index];
    if (!citation) return;
    const body = el("div", { class: "passages", tabindex: "0" }, el("p", { class: "aside" }, t("web_loading")));
    const title = el("h2", { id: "panel-title", tabindex: "-1" }, el("span", { class: "n" }, String(n)), el("span", { dir: "auto" }, citation.title));
    this.node.replaceChildren(
      el("header", {}, el("div", { class: "tools" }, this.steps(index), el("span", { class: "gap" }), this.closeButton()), title, this.where(citation)),
      body,
    );
    this.node.hidden = false;
    this.modal(narrow.matches);
    document.body.dataset.panel = "open";
    title.focus({ preventScroll: true });
    const content = await this.load(citation, words);
    if (!body.isConnected) return; // another one was opened meanwhile
    body.replaceChildren(...content);
    const mark = body.querySelector("mark");
    if (mark) body.scrollTop = mark.offsetTop - body.clientHeight / 3;
  }

  close() {
    if (!this.isOpen) return;
    this.node.hidden = true;
    this.modal(false);
    delete document.body.dataset.panel;
    (this.opener?.isConnected ? this.opener : $("question")).focus();
    this.opener = null;
  }

  // On a phone the panel covers the page, and the page is out of reach.
  modal(on) {
    $("main").inert = on;
    this.node.setAttribute("aria-modal", String(on));
    $("scrim").hidden = !on;
  }

  redraw() {
    if (this.isOpen) this.open(this.citations, this.n, null, this.words);
  }

  steps(index) {
    if (this.citations.length < 2) return null;
    const go = (step) => () => this.open(this.citations, this.citations[index + step].n);
    return [
      iconButton("left", t("web_previous"), go(-1), { disabled: index === 0 }),
      el("span", { class: "count" }, `${index + 1} / ${this.citations.length}`),
      iconButton("right", t("web_next"), go(1), { disabled: index === this.citations.length - 1 }),
    ];
  }

  closeButton() {
    return iconButton("close", t("web_close"), () => this.close(), { id: "panel-close" });
  }

  where(citation) {
    const path = sectionOf(citation);
    const page = citation.page === null ? null : t("page", { page: citation.page });
    const link = citation.href
      ? el("a", { class: "link", href: citation.href, target: "_blank", rel: "noopener noreferrer" }, t("web_open_source"), icon("out"))
      : citation.source && el("span", { class: "path" }, citation.source);
    return el("div", { class: "where" }, el("span", { dir: "auto" }, [path, page].filter(Boolean).join(" · ")), link);
  }

  async load(citation, words) {
    const query = new URLSearchParams({ document_id: citation.document_id, passage_id: citation.passage_id, collection: citation.collection });
    try {
      const response = await fetch(`/api/passages?${query}`);
      if (response.status === 404) {
        return [el("p", { class: "aside" }, t("web_passage_gone")), el("blockquote", { dir: "auto" }, el("mark", {}, citation.quote))];
      }
      if (!response.ok) throw new Error(response.statusText);
      const { passage, before, after } = await response.json();
      return [
        before.length > 0 && el("h3", {}, t("web_before")),
        ...before.map((each) => text(each, "near")),
        text(passage, "here", [words, citation.quote]),
        after.length > 0 && el("h3", {}, t("web_after")),
        ...after.map((each) => text(each, "near")),
      ].filter(Boolean);
    } catch {
      return [el("p", { class: "wrong", role: "alert" }, t("web_trouble"))];
    }
  }
}

function text(passage, name, quotes = []) {
  return el("div", { class: `passage ${name} ${passage.category}`, lang: passage.language, dir: "auto" }, marked(passage.text, quotes));
}

// The text with the first of the quotes that stands in it in <mark>.
function marked(text, quotes) {
  for (const quote of quotes) {
    const found = find(text, quote);
    if (found) return [text.slice(0, found.start), el("mark", {}, text.slice(found.start, found.end)), text.slice(found.end)];
  }
  return [text];
}

// Where white space or mark-up between the words differs, that is overlooked.
function find(text, quote) {
  const start = quote ? text.indexOf(quote) : -1;
  if (start >= 0) return { start, end: start + quote.length };
  const words = quote.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[\\s*_`>|]+");
  const found = new RegExp(pattern).exec(text);
  return found && { start: found.index, end: found.index + found[0].length };
}
