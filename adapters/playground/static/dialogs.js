// The few things that are asked in a dialog.

import { $, el } from "./dom.js";
import { t } from "./words.js";

function open(title, ...content) {
  const dialog = $("dialog");
  dialog.replaceChildren(el("h2", { id: "dialog-title" }, title), ...content);
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close(); // beside it
  };
  dialog.showModal();
  return dialog;
}

function buttons(action, danger = false) {
  return el(
    "div",
    { class: "buttons" },
    el("button", { type: "button", class: "plain", onclick: () => $("dialog").close() }, t("web_cancel")),
    el("button", { type: "submit", class: danger ? "danger" : "primary" }, action),
  );
}

function form(onsubmit, ...content) {
  return el("form", { onsubmit: (event) => (event.preventDefault(), onsubmit()) }, ...content);
}

export function confirmDeletion(title) {
  return new Promise((resolve) => {
    let sure = false;
    const done = () => ((sure = true), $("dialog").close());
    const dialog = open(title, form(done, el("p", {}, t("web_delete_sure")), buttons(t("web_delete"), true)));
    dialog.addEventListener("close", () => resolve(sure), { once: true });
  });
}

export function askTitle(title) {
  return new Promise((resolve) => {
    let result = null;
    const input = el("input", { "aria-label": t("web_rename"), maxlength: 200, value: title });
    const done = () => ((result = input.value.trim() || null), $("dialog").close());
    const dialog = open(t("web_rename"), form(done, input, buttons(t("web_save"))));
    input.select();
    dialog.addEventListener("close", () => resolve(result), { once: true });
  });
}

export function tell(title, text) {
  open(title, form(() => $("dialog").close(), el("p", { dir: "auto" }, text), el("div", { class: "buttons" }, el("button", { type: "submit", class: "plain" }, t("web_close")))));
}

// Why an answer is not helpful; null where somebody does not say.
export function askReason(kinds) {
  return new Promise((resolve) => {
    let result = null;
    const opener = document.activeElement;
    const turn = opener?.closest("[data-message]")?.dataset.message;
    const choice = (kind, index) => el("label", {}, el("input", { type: "radio", name: "reason", value: kind, checked: index === 0 }), t(`reason_${kind}`));
    const words = el("textarea", { rows: 3, maxlength: 1000, dir: "auto", "aria-label": t("reason_words"), placeholder: t("reason_words") });
    const done = () => {
      const kind = dialog.querySelector("input:checked").value;
      result = { kind, text: words.value.trim() };
      dialog.close();
    };
    const choices = el("fieldset", { class: "choices" }, el("legend", { class: "unseen" }, t("reason_title")), kinds.map(choice));
    const dialog = open(t("reason_title"), form(done, choices, words, buttons(t("reason_send"))));
    const leave = () => {
      resolve(result);
      // The answer may have been drawn anew meanwhile: its button is another one.
      const label = opener?.getAttribute("aria-label");
      if (turn && label) document.querySelector(`[data-message="${CSS.escape(turn)}"] [aria-label="${CSS.escape(label)}"]`)?.focus();
    };
    dialog.addEventListener("close", leave, { once: true });
  });
}

export function askToken(attempt) {
  const input = el("input", { type: "password", "aria-label": t("web_token"), placeholder: t("web_token"), autocomplete: "current-password" });
  const wrong = el("p", { class: "wrong", role: "alert" });
  const done = async () => {
    const refused = await attempt(input.value);
    if (refused) wrong.textContent = t(refused);
    else $("dialog").close();
  };
  const enter = el("div", { class: "buttons" }, el("button", { type: "submit", class: "primary" }, t("web_enter")));
  const dialog = open(t("web_token_title"), form(done, input, wrong, enter));
  dialog.onclick = null;
  dialog.oncancel = (event) => event.preventDefault();
}

export function showShortcuts() {
  const row = (keys, word) => el("div", {}, el("dt", {}, keys.map((key) => el("kbd", {}, key))), el("dd", {}, t(word)));
  open(
    t("web_shortcuts"),
    el(
      "dl",
      { class: "shortcuts" },
      row(["/"], "web_key_focus"),
      row(["n"], "web_key_new"),
      row(["j", "k"], "web_key_threads"),
      row(["Esc"], "web_key_close"),
      row(["?"], "web_key_help"),
    ),
    form(() => $("dialog").close(), el("div", { class: "buttons" }, el("button", { type: "submit", class: "plain" }, t("web_close")))),
  );
}
