// One question with what became of it: the TODO list, the answer, its sources.

import { announce, copyText, el, icon, iconButton } from "./dom.js";
import { tell } from "./dialogs.js";
import { drawPreview } from "./preview.js";
import { language, seconds, t } from "./words.js";

const SOURCES = 6; // more are behind a button
const LONG = 900; // characters of a question that is shown shortened

export class Turn {
  constructor(id, actions) {
    this.id = id;
    this.actions = actions;
    this.shown = {};
    this.parts = { question: el("div", { class: "question" }), todo: el("div"), answer: el("div"), files: el("div", { class: "files" }), preview: el("div", { class: "beside" }) };
    this.node = el("li", { class: "turn", "data-message": id }, Object.values(this.parts));
    this.parts.answer.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-cite]");
      if (mark) this.cite(Number(mark.dataset.cite), mark, statement(mark));
    });
  }

  // Brings the parts up to date that changed; `state` is "sending", "unsent" or "sent".
  update({ question, todo, answer, files, state }) {
    this.answer = answer;
    this.part("question", [question.version, question.text, state], () => this.renderQuestion(question, state));
    const waiting = !answer && !todo && state !== "unsent";
    this.part("todo", [todo?.version, Boolean(answer) && !answer.draft, waiting, state], () => this.renderTodo(todo, answer, waiting));
    this.part("answer", [answer?.version], () => this.renderAnswer(answer));
    this.part("files", [files.length], () => this.renderFiles(files));
    this.part("preview", [this.actions.preview(), todo?.version, answer?.version], () => this.renderPreview(todo ?? answer));
  }

  // --- as another platform shows it

  async renderPreview(post) {
    const platform = this.actions.preview();
    const asked = (this.asked = (this.asked ?? 0) + 1);
    this.node.classList.toggle("previewed", Boolean(platform));
    if (!platform) return this.parts.preview.replaceChildren();
    const found = post ? await this.actions.previewed(platform, post) : { messages: [] };
    if (asked === this.asked && found) this.parts.preview.replaceChildren(drawPreview(platform, found.messages));
    return undefined;
  }

  part(name, stamp, render) {
    const key = JSON.stringify([language(), ...stamp]);
    if (this.shown[name] === key) return;
    this.shown[name] = key;
    render();
  }

  // --- the question

  renderQuestion(question, state) {
    this.question = question;
    const text = el("p", { class: "text", dir: "auto" }, question.text);
    const bubble = el("div", { class: "bubble" }, text);
    if (question.text.length > LONG) {
      text.classList.add("long");
      const all = el("button", { type: "button", class: "link", onclick: () => (text.classList.remove("long"), all.remove()) }, t("web_show_all"));
      bubble.append(all);
    }
    for (const file of question.files ?? []) bubble.append(el("p", { class: "enclosed" }, icon("doc"), el("bdi", {}, file.name)));
    const line = el("div", { class: "line" }, bubble);
    const foot = el("div", { class: "under" });
    if (state === "unsent") {
      foot.append(
        el("span", { class: "wrong", role: "alert" }, t("web_not_sent")),
        el("button", { type: "button", class: "link", onclick: () => this.actions.retry(this.id) }, t("web_retry")),
      );
    } else {
      if (question.edited) foot.append(el("span", {}, t("web_edited")));
      if (state === "sent" && this.actions.editing()) line.prepend(iconButton("edit", t("web_edit"), () => this.edit()));
    }
    this.parts.question.replaceChildren(el("h2", { class: "unseen" }, t("web_you")), line, foot);
  }

  edit() {
    const field = el("textarea", { class: "bubble", rows: 1, "aria-label": t("web_edit"), dir: "auto" });
    field.value = this.question.text;
    const fit = () => {
      field.style.height = "auto";
      field.style.height = `${field.scrollHeight + 2}px`;
    };
    const leave = () => {
      delete this.shown.question;
      this.renderQuestion(this.question, "sent");
      this.parts.question.querySelector("button.quiet")?.focus();
    };
    const save = () => {
      const text = field.value.trim();
      if (text && text !== this.question.text) this.actions.edit(this.id, text);
      leave();
    };
    field.addEventListener("input", fit);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.stopPropagation();
        leave();
      }
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) {
        event.preventDefault();
        save();
      }
    });
    const buttons = el(
      "div",
      { class: "buttons" },
      el("button", { type: "button", class: "plain", onclick: leave }, t("web_cancel")),
      el("button", { type: "button", class: "primary", onclick: save }, t("web_save")),
    );
    this.parts.question.replaceChildren(el("div", { class: "editing" }, field, buttons));
    fit();
    field.focus();
  }

  // --- the TODO list

  renderTodo(todo, answer, waiting) {
    if (!todo && !waiting) return this.parts.todo.replaceChildren();
    const over = answer && !answer.draft;
    let status = todo?.status ?? "working";
    if (over && status === "working") status = answer.role === "error" ? "failed" : "done"; // its last news is on the way
    // What was under way when the turn ended is not under way any more.
    const steps = (todo?.steps ?? []).map((step) => (over && /^(pending|in_progress)$/.test(step.status) ? { ...step, status: "skipped" } : step));
    const count = steps.length === 1 ? t("web_step") : t("web_steps", { count: steps.length });
    const clock = el("span", { class: "clock" });
    if (status === "working") clock.dataset.since = performance.now() - (todo ? todo.elapsed_ms + todo.age_ms : 0);
    else if (todo?.elapsed_ms) clock.textContent = seconds(todo.elapsed_ms);
    const sign = { working: "in_progress", done: "completed", failed: "failed", stopped: "skipped" }[status];
    const head = [icon(sign), el("span", { class: "what" }, (status === "working" && todo?.waits) || t(status)), steps.length > 0 && el("span", { class: "count" }, count), clock];
    if (!steps.length) {
      this.parts.todo.replaceChildren(el("div", { class: "todo", "data-status": status }, el("div", { class: "head" }, head)));
      return;
    }
    const before = this.parts.todo.querySelector("details");
    // Open while it works; what a person opens or closes stays so.
    const open = this.toggled ?? !over;
    const list = el("ol", {}, steps.map((step) => this.step(step, before)));
    const details = el("details", { open, class: "todo", "data-status": status }, el("summary", { class: "head" }, head, icon("chevron")), list);
    details.firstChild.addEventListener("click", () => (this.toggled = !details.open));
    const focused = before?.contains(document.activeElement);
    this.parts.todo.replaceChildren(details);
    if (focused) details.firstChild.focus();
  }

  step(step, before) {
    const took = step.completed_at && step.started_at ? (step.completed_at - step.started_at) * 1000 : 0;
    const old = before?.querySelector(`[data-step="${CSS.escape(step.id)}"]`)?.dataset.status;
    if (before && old !== step.status && step.status !== "pending") announce(`${step.task}: ${t(`web_${step.status}`)}`);
    return el(
      "li",
      { "data-step": step.id, "data-status": step.status, class: before && old !== step.status && "moved" },
      icon(step.status),
      el("span", { class: "unseen" }, `${t(`web_${step.status}`)}: `),
      el("span", { class: "task" }, step.task),
      el("span", { class: "result" }, step.error || step.result || step.phase),
      took >= 50 && el("span", { class: "clock" }, seconds(took)),
    );
  }

  // --- the answer

  renderAnswer(answer) {
    const part = this.parts.answer;
    if (!answer || (answer.draft && !answer.html)) return part.replaceChildren();
    const heading = el("h2", { class: "unseen" }, t("web_answer"));
    const prose = el("div", { class: "prose", lang: answer.language, dir: "auto" });
    if (answer.html) prose.innerHTML = answer.html; // rendered and sanitised by the server
    if (answer.role === "clarification") return this.renderClarification(answer, heading, prose);
    if (answer.draft) {
      part.replaceChildren(el("div", { class: "answer draft", "aria-busy": "true" }, heading, prose));
      return undefined;
    }
    for (const mark of prose.querySelectorAll("[data-cite]")) {
      const citation = answer.citations?.find((each) => each.n === Number(mark.dataset.cite));
      const label = t("web_source", { n: mark.dataset.cite, title: citation?.title ?? "" });
      mark.setAttribute("aria-label", label);
      mark.title = label;
    }
    const notes = (answer.warnings ?? []).map((text) => el("p", { class: "note" }, icon("note"), el("span", {}, text)));
    const told = answer.text && answer.role === "answer";
    const foot = el("div", { class: "foot" }, told && this.copyButton(answer), told && this.thumbs(answer), told && this.people(answer));
    const held = part.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : "";
    part.replaceChildren(
      el("div", { class: `answer ${answer.role} ${answer.response_type ?? ""}` }, heading, prose, notes, this.sources(answer), foot),
    );
    if (held) [...part.querySelectorAll("button")].find((button) => button.getAttribute("aria-label") === held)?.focus();
    return undefined;
  }

  renderClarification(answer, heading, prose) {
    prose.append(el("p", {}, answer.question));
    if (answer.assumption) prose.append(el("p", { class: "aside" }, answer.assumption));
    const options = answer.options.map((option) =>
      el("button", { type: "button", class: "option", onclick: () => this.actions.ask(option) }, option),
    );
    this.parts.answer.replaceChildren(el("div", { class: "answer clarification" }, heading, prose, el("div", { class: "options" }, options)));
  }

  copyButton(answer) {
    const button = iconButton("copy", t("web_copy"), async () => {
      const sources = answer.citations.map((citation) => `[${citation.n}] ${place(citation)}${citation.source ? ` (${citation.source})` : ""}`);
      await copyText([answer.text, ...(sources.length ? ["", `${t("sources")}:`, ...sources] : [])].join("\n"));
      button.replaceChildren(icon("completed"));
      button.title = t("web_copied");
      announce(t("web_copied"));
      setTimeout(() => (button.replaceChildren(icon("copy")), (button.title = t("web_copy"))), 1600);
    });
    return button;
  }

  thumbs(answer) {
    return [["thumb-up", "web_helpful", true], ["thumb-down", "web_unhelpful", false]].map(([name, words, helpful]) => {
      const pressed = answer.rated === helpful;
      const press = () => this.actions.rate(answer, pressed ? null : helpful); // the board shows what was kept, everywhere
      return iconButton(name, t(words), press, { "aria-pressed": String(pressed), class: pressed ? "quiet pressed" : "quiet" });
    });
  }

  // Below what is no answer, or none that helped: who can be asked instead.
  people(answer) {
    const who = this.actions.people();
    const weak = answer.rated === false || ["not_found", "passages"].includes(answer.response_type);
    if (!who || !weak) return null;
    return el("button", { type: "button", class: "link", onclick: () => tell(t("person_ask"), t("person_is", { name: who })) }, t("person_ask"));
  }

  sources(answer) {
    const citations = answer.citations ?? [];
    if (!citations.length) return null;
    const list = el("ul", {}, citations.map((citation) => el("li", {}, this.source(citation))));
    if (citations.length > SOURCES) {
      const rest = [...list.children].slice(SOURCES - 1);
      for (const item of rest) item.hidden = true;
      const more = el("li", {}, el("button", { type: "button", class: "source more", onclick: () => {
        for (const item of rest) item.hidden = false;
        more.remove();
        rest[0].firstChild.focus();
      } }, t("web_more", { count: rest.length })));
      list.append(more);
    }
    return el("section", { class: "sources" }, el("h3", {}, t("sources")), list);
  }

  source(citation) {
    const where = [sectionOf(citation).split(" › ").pop(), citation.page !== null && t("page", { page: citation.page })];
    return el(
      "button",
      { type: "button", class: "source", title: place(citation), onclick: (event) => this.cite(citation.n, event.currentTarget) },
      el("span", { class: "n" }, String(citation.n)),
      el("span", { class: "name", dir: "auto" }, citation.title),
      el("span", { class: "where", dir: "auto" }, where.filter(Boolean).join(" · ")),
    );
  }

  cite(n, opener, words) {
    this.actions.cite(this.answer.citations, n, opener, words);
  }

  renderFiles(files) {
    this.parts.files.replaceChildren(
      ...files.map((file) => {
        const href = `/api/files/${encodeURIComponent(file.thread)}/${encodeURIComponent(file.id)}`;
        const link = { href, download: file.name, "aria-label": t("web_download", { name: file.name }) };
        if (file.media_type === "image/png") return el("a", { class: "picture", ...link }, el("img", { src: href, alt: file.text || file.name }));
        return el("a", { class: "file", ...link }, icon("doc"), file.name);
      }),
    );
  }
}

// What a mark stands behind: the text between it and the mark before, within its paragraph, list item or cell.
function statement(mark) {
  const block = mark.closest("p, li, td, th, blockquote, h1, h2, h3, h4, h5, h6");
  const range = document.createRange();
  range.setStart(block, 0);
  for (const other of block.querySelectorAll(".cite")) {
    if (other === mark) break;
    // Marks that follow each other stand behind the same words.
    const between = document.createRange();
    between.setStartAfter(other);
    between.setEndBefore(mark);
    if (between.cloneContents().textContent.replace(/[\d\s]/g, "")) range.setStartAfter(other);
  }
  range.setEndBefore(mark);
  const fragment = range.cloneContents();
  for (const other of fragment.querySelectorAll(".cite")) other.remove();
  return fragment.textContent.trim();
}

// Title › section, page: where a citation stands.
export function place(citation) {
  const path = [citation.title, sectionOf(citation)].filter(Boolean).join(" › ");
  return citation.page === null ? path : `${path}, ${t("page", { page: citation.page })}`;
}

// The headings above, without those that only repeat the title.
export function sectionOf(citation) {
  const headings = citation.section.split(" > ").filter((heading, index, all) => heading && heading !== all[index - 1]);
  if (headings[0] === citation.title) headings.shift();
  return headings.join(" › ");
}

// Clocks of what is still going on.
setInterval(() => {
  for (const clock of document.querySelectorAll("[data-since]")) clock.textContent = seconds(performance.now() - clock.dataset.since);
}, 100);
