// Where questions are written. What is not sent yet survives a reload.

import { $, icon } from "./dom.js";
import { Files } from "./files.js";
import { t } from "./words.js";

export class Composer {
  constructor({ send, stop, notify }) {
    this.field = $("question");
    this.button = $("send");
    this.place = "";
    this.online = true;
    this.running = false;
    this.files = new Files({ changed: () => this.render(), notify });
    this.field.addEventListener("input", () => this.changed());
    this.field.addEventListener("keydown", (event) => {
      // While a Korean syllable is being composed, Enter belongs to the input method.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      $("composer").requestSubmit();
    });
    $("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.field.value.trim() || (this.files.list.length ? t("attached_only") : "");
      if (!this.online) return;
      if (text) {
        this.field.value = "";
        this.changed();
        send(text, this.files.take());
      } else if (this.running) stop();
    });
    $("composer").addEventListener("click", (event) => event.target === $("composer") && this.field.focus());
  }

  // Shows the field of a thread, with what was left unsent there.
  enter(thread) {
    this.place = `weft-unsent-${thread ?? "new"}`;
    this.field.value = sessionStorage.getItem(this.place) ?? "";
    this.field.placeholder = t(thread ? "web_ask_on" : "web_ask");
    this.field.setAttribute("aria-label", this.field.placeholder);
    this.changed();
  }

  changed() {
    if (this.field.value) sessionStorage.setItem(this.place, this.field.value);
    else sessionStorage.removeItem(this.place);
    this.field.style.height = "auto";
    this.field.style.height = `${this.field.scrollHeight}px`;
    this.render();
  }

  set({ online = this.online, running = this.running }) {
    this.online = online;
    this.running = running;
    this.render();
  }

  render() {
    const empty = !this.field.value.trim() && !this.files?.list.length;
    const stops = this.running && empty;
    const label = t(stops ? "web_stop" : "web_send");
    this.button.disabled = !this.online || (!stops && empty);
    this.button.setAttribute("aria-label", label);
    this.button.title = label;
    this.button.classList.toggle("stops", stops);
    if (this.shown !== stops) this.button.replaceChildren(icon(stops ? "stop" : "send"));
    this.shown = stops;
  }
}
