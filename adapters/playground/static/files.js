// Files that go with the next question: chosen, dropped or pasted, shown below the field until they are sent.

import { $, announce, el, icon } from "./dom.js";
import { t } from "./words.js";

export class Files {
  constructor({ changed, notify }) {
    this.list = [];
    this.limits = { bytes: 0, most: 0 };
    this.changed = changed;
    this.notify = notify;
    this.depth = 0; // of nested elements that a drag has entered
    const picker = $("picker");
    $("attach").addEventListener("click", () => picker.click());
    picker.addEventListener("change", () => {
      this.add(picker.files);
      picker.value = "";
      $("question").focus();
    });
    $("question").addEventListener("paste", (event) => {
      if (!event.clipboardData?.files.length) return;
      event.preventDefault();
      this.add(event.clipboardData.files);
    });
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) addEventListener(name, (event) => this.dragged(event));
  }

  dragged(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // or the browser would leave the page for the file
    if (event.type === "dragenter") this.depth += 1;
    if (event.type === "dragleave") this.depth -= 1;
    if (event.type === "drop") {
      this.depth = 0;
      if (!$("dialog").open) this.add(event.dataTransfer.files);
    }
    document.body.classList.toggle("dropping", this.depth > 0 && !$("dialog").open);
  }

  add(files) {
    const { bytes, most } = this.limits;
    for (const file of files) {
      if (this.list.length >= most) this.notify(t("web_too_many_files", { count: most }));
      else if (file.size > bytes) this.notify(t("web_file_too_large", { name: file.name, limit: Math.round(bytes / 1e6) }));
      else {
        this.list.push(file);
        announce(t("web_attached", { name: file.name }));
      }
    }
    this.render();
  }

  // Gives the files away, to be sent.
  take() {
    const taken = this.list;
    this.list = [];
    this.render();
    return taken;
  }

  render() {
    $("attach").hidden = !this.limits.most;
    $("chosen").hidden = !this.list.length;
    $("chosen").replaceChildren(
      ...this.list.map((file) => {
        const label = t("web_detach", { name: file.name });
        const remove = () => {
          this.list = this.list.filter((each) => each !== file);
          this.render();
          $("question").focus();
        };
        const button = el("button", { type: "button", "aria-label": label, title: label, onclick: remove }, icon("close"));
        return el("li", { class: "enclosed" }, icon("doc"), el("bdi", {}, file.name), button);
      }),
    );
    this.changed();
  }
}

// Brings a file to the server; returns its id there.
export async function upload(file, call) {
  const query = new URLSearchParams({ name: file.name.slice(-400) || "file", type: file.type.slice(0, 400) });
  const { id } = await call(`/api/uploads?${query}`, { method: "POST", file });
  return id;
}
