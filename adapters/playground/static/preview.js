// A turn as another platform would show it: drawn from the payload that its adapter sends. Nothing in it can be pressed.

import { el, icon } from "./dom.js";
import { t } from "./words.js";

const EMOJI = { "👍": "thumb-up", "👎": "thumb-down", "🔎": "search" }; // drawn, since not every system has a font for them
const ICONS = { pending: "pending", in_progress: "in_progress", complete: "completed", error: "failed" };

export function drawPreview(platform, messages) {
  return el("div", { class: `preview ${platform}`, role: "region", "aria-label": t("web_preview_of", { platform: NAMES[platform] ?? platform }) }, messages.map(message));
}

export const NAMES = { slack: "Slack", discord: "Discord" };

function message({ parts, payload }) {
  const json = el("pre", { tabindex: "0" }, JSON.stringify(payload, null, 2));
  return el(
    "article",
    { class: "post" },
    el("p", { class: "by" }, el("span", { class: "avatar", "aria-hidden": "true" }, "W"), el("b", {}, "Weft"), el("span", { class: "app" }, "APP")),
    parts.map(part),
    el("details", { class: "json" }, el("summary", {}, t("web_preview_json")), json),
  );
}

function part(given) {
  switch (given.kind) {
    case "plan":
      return plan(given);
    case "table":
      return el("div", { class: "table" }, el("table", {}, el("tbody", {}, given.rows.map((row, n) => el("tr", {}, row.map((cell) => el(n ? "td" : "th", {}, cell)))))));
    case "buttons":
      return el("p", { class: "pressable" }, given.buttons.map(({ label, href, emoji }) => el("span", { class: "press" }, emoji && (EMOJI[emoji] ? icon(EMOJI[emoji]) : emoji), label, href && icon("out"))));
    case "menu":
      return el("p", { class: "pressable" }, el("span", { class: "press menu", title: given.options.join("\n") }, given.label, icon("chevron")));
    case "card": {
      const card = el("div", { class: "card" }, given.parts.map(part));
      card.style.setProperty("--edge", given.colour);
      return card;
    }
    default: {
      const prose = el("div", { class: given.kind === "small" ? "prose small" : "prose", dir: "auto" });
      prose.innerHTML = given.html; // rendered and sanitised by the server
      return prose;
    }
  }
}

function plan({ title, tasks }) {
  const rows = tasks.map((task) =>
    el(
      "li",
      { "data-status": task.status },
      icon(ICONS[task.status]),
      el("span", {}, el("span", { class: "task" }, task.title), task.output && el("span", { class: "result" }, task.output)),
    ),
  );
  return el("div", { class: "plan" }, el("p", { class: "what" }, title), el("ol", {}, rows));
}
