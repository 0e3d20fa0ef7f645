// The list of conversations, newest question first, by day.

import { $, el } from "./dom.js";
import { t } from "./words.js";

export class Threads {
  constructor() {
    this.all = new Map();
    this.busy = new Map(); // thread -> turns that run
    this.unread = new Set();
    this.current = null;
    $("threads").addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      const links = [...$("threads").querySelectorAll("a")];
      links[links.indexOf(document.activeElement) + step]?.focus();
      event.preventDefault();
    });
  }

  load(threads) {
    this.all = new Map(threads.map((thread) => [thread.id, thread]));
    this.render();
  }

  apply(thread) {
    if (thread.removed) this.all.delete(thread.id);
    else this.all.set(thread.id, thread);
    this.render();
  }

  select(id) {
    this.current = id;
    this.unread.delete(id);
    this.render();
    $("threads").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  // Called for every post of the feed, to know where something runs.
  follow(post) {
    if (!post.turn) return;
    const turns = this.busy.get(post.thread) ?? new Set();
    const before = turns.size;
    const over = ["answer", "error", "clarification"].includes(post.role) && !post.draft;
    if (over) turns.delete(post.turn);
    else if (post.role === "user" || post.status === "working") turns.add(post.turn);
    this.busy.set(post.thread, turns);
    if (over && post.thread !== this.current) this.unread.add(post.thread);
    if (turns.size !== before || over) this.render();
  }

  sorted() {
    return [...this.all.values()].sort((a, b) => b.updated - a.updated);
  }

  // The thread `step` places below the open one.
  neighbour(step) {
    const list = this.sorted();
    const here = list.findIndex((thread) => thread.id === this.current);
    return list[here < 0 ? 0 : here + step]?.id;
  }

  render() {
    const groups = new Map();
    for (const thread of this.sorted()) {
      const day = dayOf(thread.updated);
      groups.set(day, [...(groups.get(day) ?? []), thread]);
    }
    const sections = [...groups].map(([day, threads]) => [
      el("h2", {}, t(day)),
      el("ul", {}, threads.map((thread) => el("li", {}, this.link(thread)))),
    ]);
    const focused = document.activeElement?.closest?.("#threads a")?.getAttribute("href");
    $("threads").replaceChildren(...(sections.length ? sections.flat() : [el("p", { class: "none" }, t("web_no_threads"))]));
    if (focused) $("threads").querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }

  link(thread) {
    const state = this.busy.get(thread.id)?.size ? "busy" : this.unread.has(thread.id) ? "unread" : "";
    const words = { busy: t("working"), unread: t("web_ready") }[state];
    return el(
      "a",
      { href: `#/t/${thread.id}`, "aria-current": thread.id === this.current && "page" },
      el("span", { class: "text", dir: "auto" }, thread.title || t("web_untitled")),
      state && el("span", { class: `dot ${state}`, role: "img", "aria-label": words, title: words }),
    );
  }
}

function dayOf(at) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (at * 1000 >= midnight) return "web_today";
  return at * 1000 >= midnight - 86_400_000 ? "web_yesterday" : "web_earlier";
}
