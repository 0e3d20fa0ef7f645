// All words come from the server's catalogue; which language is the browser's, unless one was chosen here.

let catalogue = { en: {}, ko: {} };
let chosen = localStorage.getItem("weft-language") || (/^ko\b/i.test(navigator.language) ? "ko" : "en");

export const language = () => chosen;
/** The name of the browser's time zone, such as Asia/Seoul; empty where it has none. */
export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

export function learn(words) {
  catalogue = words;
}

export function choose(language) {
  chosen = language;
  localStorage.setItem("weft-language", language);
}

export function t(key, values = {}) {
  const text = catalogue[chosen][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function seconds(ms) {
  const value = ms / 1000;
  return t("web_seconds", { seconds: value < 0.1 ? "< 0.1" : value < 10 ? value.toFixed(1) : Math.round(value) });
}

// Whether a message asks to stop what runs, in either language.
export function asksToStop(text) {
  const words = Object.values(catalogue).flatMap((each) => (each.web_stop_words ?? "").split(", "));
  return words.includes(text.toLowerCase().replace(/[.!\s]+$/, ""));
}

// Fills what the page's own HTML leaves open: data-word is text, data-label a name for what shows none.
export function translate(root = document) {
  document.documentElement.lang = chosen;
  for (const node of root.querySelectorAll("[data-word]")) node.textContent = t(node.dataset.word);
  for (const node of root.querySelectorAll("[data-label]")) {
    node.setAttribute("aria-label", t(node.dataset.label));
    if (node.tagName === "BUTTON") node.title = t(node.dataset.label);
  }
}
