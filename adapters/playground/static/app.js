// The page: what it knows, and who tells whom. The server's posts are the truth; everything here is a view of them.

import { ApiError, call, Feed, newId } from "./api.js";
import { Composer } from "./composer.js";
import { upload } from "./files.js";
import { askReason, askTitle, askToken, confirmDeletion, showShortcuts } from "./dialogs.js";
import { $, announce, el, icon } from "./dom.js";
import { Panel } from "./panel.js";
import { NAMES } from "./preview.js";
import { Threads } from "./threads.js";
import { Turn } from "./turn.js";
import { asksToStop, choose, language, learn, t, translate, timeZone } from "./words.js";

const narrow = matchMedia("(max-width: 860px)");
const state = {
  config: null,
  thread: null,
  posts: new Map(), // of this thread, by id
  turns: new Map(), // what shows them, by the question's id
  unsent: new Map(), // questions on their way
  visit: 0, // counts up with every change of place
  stale: false, // the thread could not be read
  preview: "", // the platform as which turns are shown besides
};
const threads = new Threads();
const panel = new Panel();
const composer = new Composer({ send: ask, stop, notify });
let feed = null;
let sent = Promise.resolve(); // questions go out one after the other

// --- start

async function start() {
  try {
    state.config = await call("/api/config");
    learn(state.config.words);
    composer.files.limits = state.config.uploads;
    const { threads: list, cursor } = await call("/api/threads");
    threads.load(list);
    feed ??= new Feed(cursor, { connected, reset, thread: threadChanged, post: postChanged });
    draw();
    await route();
    document.body.dataset.state = "ready";
    if (!narrow.matches) $("question").focus();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return signIn();
    console.warn("Weft does not answer yet:", error);
    setTimeout(start, 1_000);
  }
  return undefined;
}

async function signIn() {
  learn(await call("/static/words.json"));
  translate();
  document.body.dataset.state = "ready";
  askToken(async (token) => {
    const response = await fetch(`/?token=${encodeURIComponent(token)}`);
    if (response.ok) start();
    return response.ok ? "" : response.status === 429 ? "web_token_later" : "web_token_wrong";
  });
}

function draw() {
  translate();
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language()));
  }
  drawTheme();
  drawPreviews();
  drawWelcome();
  threads.render();
  drawTitle();
  composer.enter(state.thread);
  composer.files.render();
  for (const turn of state.turns.keys()) drawTurn(turn);
  panel.redraw();
}

// Which platform a turn is shown as, beside how it is shown here.
function drawPreviews() {
  const names = ["", ...state.config.previews];
  $("previews").hidden = names.length < 2;
  if (!$("previews").children.length) $("previews").append(...names.map((name) => el("button", { type: "button", "data-preview": name, onclick: () => preview(name) })));
  for (const button of $("previews").children) {
    button.textContent = NAMES[button.dataset.preview] ?? t("web_preview_here");
    button.setAttribute("aria-pressed", String(button.dataset.preview === state.preview));
  }
}

function preview(name) {
  state.preview = name;
  document.body.classList.toggle("previewing", Boolean(name));
  drawPreviews();
  for (const turn of state.turns.keys()) drawTurn(turn);
}

async function previewed(platform, { thread, turn }) {
  const asked = new URLSearchParams({ platform, thread, turn });
  try {
    return await call(`/api/previews?${asked}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) notify(t("web_trouble"));
    return null;
  }
}

function drawWelcome() {
  const { title, description, prompts } = state.config;
  $("welcome-title").textContent = title[language()];
  $("welcome-text").textContent = description[language()];
  $("prompts").replaceChildren(
    ...prompts.map((prompt) => {
      const text = prompt[language()];
      return el("li", {}, el("button", { type: "button", class: "prompt", onclick: () => ask(text) }, el("span", {}, text), icon("right")));
    }),
  );
}

// --- where we are

async function route() {
  const id = /^#\/t\/([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  closeDrawer();
  if (id === state.thread && (id || !state.posts.size)) return showThread();
  panel.close();
  state.thread = id;
  state.visit += 1;
  state.posts.clear();
  clearTurns();
  if (id) await loadThread(id);
  showThread();
  $("scroll").scrollTop = $("scroll").scrollHeight;
  return undefined;
}

async function loadThread(id) {
  try {
    const { posts } = await call(`/api/threads/${id}`);
    if (state.thread !== id) return;
    state.stale = false;
    for (const post of posts) keep(post);
  } catch (error) {
    if (state.thread !== id) return;
    if (!(error instanceof ApiError) || error.status !== 404) {
      state.stale = true;
      return;
    }
    state.thread = null;
    history.replaceState(null, "", "#/");
    notify(t("web_thread_gone"));
  }
}

function showThread() {
  const empty = !state.thread && !state.turns.size;
  $("welcome").hidden = !empty;
  document.body.classList.toggle("empty", empty);
  $("thread-tools").hidden = !state.thread;
  threads.select(state.thread);
  composer.enter(state.thread);
  drawTitle();
  drawRunning();
}

function drawTitle() {
  const thread = threads.all.get(state.thread);
  const title = state.thread ? thread?.title || t("web_untitled") : "";
  $("title").textContent = title;
  document.title = title ? `${title} · Weft` : "Weft";
}

// --- posts

function keep(post) {
  const known = state.posts.get(post.id);
  if (known && known.version >= post.version) return;
  state.posts.set(post.id, post);
  threads.follow(post);
  const question = post.role === "user" ? post.id : questionOf(post.turn ?? known?.turn);
  if (post.removed && known?.role === "user") dropTurn(post.id);
  else if (question) drawTurn(question);
}

function questionOf(turn) {
  for (const post of state.posts.values()) if (post.role === "user" && post.turn && post.turn === turn) return post.id;
  return null;
}

function drawTurn(id) {
  const question = state.posts.get(id);
  if (!question || question.removed) return;
  if (!state.turns.has(id)) {
    const turn = new Turn(id, { editing: () => state.config.editing, people: () => state.config.people, ask, edit, rate, retry: send, preview: () => state.preview, previewed, cite: (...how) => panel.open(...how) });
    state.turns.set(id, turn);
    $("turns").append(turn.node);
  }
  const of = [...state.posts.values()].filter((post) => post.turn && post.turn === question.turn && !post.removed);
  const sending = state.unsent.get(id);
  state.turns.get(id).update({
    question,
    todo: of.find((post) => post.role === "todo"),
    answer: of.find((post) => ["answer", "error", "clarification"].includes(post.role)),
    files: of.filter((post) => post.role === "file"),
    state: sending ? (sending.failed ? "unsent" : "sending") : "sent",
  });
  drawRunning();
}

function dropTurn(id) {
  state.turns.get(id)?.node.remove();
  state.turns.delete(id);
}

function clearTurns() {
  for (const id of [...state.turns.keys()]) dropTurn(id);
}

// The question that is being answered now, or null.
function running() {
  const posts = [...state.posts.values()].filter((post) => !post.removed);
  const over = new Set(posts.filter((post) => ["answer", "error", "clarification"].includes(post.role) && !post.draft).map((post) => post.turn));
  return posts.find((post) => post.role === "user" && post.turn && !over.has(post.turn)) ?? null;
}

function drawRunning() {
  composer.set({ running: Boolean(state.thread && running()) });
}

// --- what people do

function ask(text, files = []) {
  if (state.thread && running() && asksToStop(text) && !files.length) return stop();
  const id = newId();
  state.unsent.set(id, { text, files, uploaded: [], visit: state.visit, thread: state.thread });
  state.posts.set(id, { id, role: "user", text, files, version: 0, turn: "" });
  drawTurn(id);
  showThread();
  const { node } = state.turns.get(id);
  document.querySelector(".turn.newest")?.classList.remove("newest");
  node.classList.add("newest"); // leaves room below, so that the question can stand at the top
  $("scroll").scrollTo({ top: node.offsetTop - 12, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  $("question").focus();
  sent = sent.then(() => send(id));
  return sent;
}

async function send(id) {
  const sending = state.unsent.get(id);
  delete sending.failed;
  drawTurn(id);
  try {
    // The thread may have been opened by the question just before.
    if (sending.visit === state.visit) sending.thread ??= state.thread;
    const files = sending.uploaded; // what arrived before the connection was lost is not sent again
    for (const file of sending.files.slice(files.length)) files.push(await upload(file, call));
    const body = { text: sending.text, client_id: id, files, locale: language(), zone: timeZone(), ...(sending.thread && { thread: sending.thread }) };
    const asked = await call("/api/messages", { method: "POST", body });
    state.unsent.delete(id);
    if (!state.posts.has(id)) return; // went elsewhere meanwhile
    if (!sending.thread && !state.thread) {
      state.thread = asked.thread;
      history.replaceState(null, "", `#/t/${asked.thread}`);
    }
    const post = state.posts.get(id);
    if (!post.turn) post.turn = asked.turn;
    await loadThread(asked.thread);
    drawTurn(id);
    showThread();
  } catch (error) {
    sending.failed = true;
    if (error.status === 404) sending.uploaded = []; // the server has let go of them
    if (error.code === "too_large") notify(t("web_too_large"));
    drawTurn(id);
  }
}

async function edit(id, text) {
  await tried(call("/api/messages", { method: "POST", body: { text, edit_of: id, thread: state.thread, client_id: newId(), locale: language(), zone: timeZone() } }));
}

async function rate(answer, helpful) {
  const path = `/api/threads/${answer.thread}/posts/${encodeURIComponent(answer.id)}/rating`;
  const kept = await tried(call(path, { method: "PUT", body: { helpful } }));
  if (!kept) return;
  announce(t(helpful === null ? "web_rating_taken_back" : "web_rating_kept"));
  if (helpful !== false) return;
  const reason = await askReason(state.config.reasons);
  if (reason && (await tried(call(path, { method: "PUT", body: { helpful, reason } })))) announce(t("web_reason_kept"));
}

async function stop() {
  const question = running();
  if (question) await tried(call(`/api/messages/${question.id}/stop`, { method: "POST", body: { thread: state.thread, language: language() } }));
}

async function rename() {
  const id = state.thread;
  const title = await askTitle(threads.all.get(id)?.title ?? "");
  if (title) await tried(call(`/api/threads/${id}`, { method: "PATCH", body: { title } }));
}

async function remove() {
  const id = state.thread;
  if (!(await confirmDeletion(threads.all.get(id)?.title || t("web_untitled")))) return;
  if (await tried(call(`/api/threads/${id}`, { method: "DELETE" }))) location.hash = "#/";
}

async function tried(promise) {
  try {
    await promise;
    return true;
  } catch {
    notify(t("web_trouble"));
    return false;
  }
}

// --- the feed

function connected(online) {
  composer.set({ online });
  if (online && state.stale) loadThread(state.thread).then(showThread);
  if (online) notify("", "offline");
  else notify(t("web_reconnecting"), "offline");
}

// Another board answers now (a fresh data folder): nothing that is shown here is there any more.
async function reset() {
  threads.load((await call("/api/threads")).threads);
  state.thread = undefined;
  await route();
}

function threadChanged(thread) {
  threads.apply(thread);
  if (thread.id !== state.thread) return;
  if (thread.removed) location.hash = "#/";
  drawTitle();
}

function postChanged(post) {
  if (post.thread !== state.thread) return threads.follow(post);
  const before = state.posts.get(post.id);
  keep(post);
  const ended = ["answer", "clarification"].includes(post.role) && !post.draft && (before?.draft ?? true);
  if (ended) announce(t("web_ready"));
  if (ended && document.hidden) {
    document.title = `✓ ${document.title}`;
    rest();
  }
  return undefined;
}

let forgetting;
function notify(text, kind = "news") {
  const notice = $("notice");
  if (!text && notice.dataset.kind !== kind) return;
  clearTimeout(forgetting);
  notice.dataset.kind = kind;
  notice.textContent = text;
  notice.hidden = !text;
  if (kind === "news") forgetting = setTimeout(() => notify("", "news"), 5_000);
}

// --- drawer, appearance, language, keys

function openDrawer() {
  document.body.dataset.drawer = "open";
  $("drawer-open").setAttribute("aria-expanded", "true");
  $("scrim").hidden = false;
  $("main").inert = true;
  drawerReach();
  $("drawer-close").focus();
}

function closeDrawer() {
  if (document.body.dataset.drawer !== "open") return;
  delete document.body.dataset.drawer;
  $("drawer-open").setAttribute("aria-expanded", "false");
  $("scrim").hidden = true;
  $("main").inert = false;
  drawerReach();
  $("drawer-open").focus();
}

function drawerReach() {
  $("sidebar").inert = narrow.matches && document.body.dataset.drawer !== "open";
}

const THEMES = ["auto", "light", "dark"];

function drawTheme() {
  const theme = document.documentElement.dataset.theme ?? "auto";
  const label = `${t("web_theme")}: ${t(`web_theme_${theme}`)}`;
  $("theme").setAttribute("aria-label", label);
  $("theme").title = label;
  $("theme").replaceChildren(icon(theme));
}

function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % THEMES.length];
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem("weft-theme", theme === "auto" ? "" : theme);
  drawTheme();
}

function newQuestion() {
  if (state.thread || state.turns.size) location.hash = "#/";
  closeDrawer();
  $("question").focus();
}

function pressed(event) {
  if (event.key === "Escape" && !$("dialog").open) {
    if (panel.isOpen) panel.close();
    else closeDrawer();
    return;
  }
  if ($("dialog").open || event.target.closest?.("input, textarea") || event.metaKey || event.ctrlKey || event.altKey) return;
  const step = { j: 1, k: -1 }[event.key];
  if (event.key === "/") $("question").focus();
  else if (event.key === "n") newQuestion();
  else if (event.key === "?") showShortcuts();
  else if (step) {
    const id = threads.neighbour(step);
    if (!id) return;
    location.hash = `#/t/${id}`;
  } else return;
  event.preventDefault();
}

addEventListener("hashchange", route);
addEventListener("keydown", pressed);
narrow.addEventListener("change", () => (closeDrawer(), drawerReach()));
$("drawer-open").addEventListener("click", openDrawer);
$("drawer-close").addEventListener("click", closeDrawer);
$("scrim").addEventListener("click", () => (panel.isOpen ? panel.close() : closeDrawer()));
$("threads").addEventListener("click", (event) => event.target.closest("a") && closeDrawer());
$("new").addEventListener("click", (event) => (event.preventDefault(), newQuestion()));
$("theme").addEventListener("click", nextTheme);
$("help").addEventListener("click", showShortcuts);
$("rename").addEventListener("click", rename);
$("delete").addEventListener("click", remove);
$("latest").addEventListener("click", () => $("scroll").scrollTo({ top: $("scroll").scrollHeight, behavior: "smooth" }));
$("scroll").addEventListener("scroll", drawLatest, { passive: true });
new ResizeObserver(drawLatest).observe($("turns"));
new ResizeObserver(() => $("scroll").style.setProperty("--view", `${$("scroll").clientHeight}px`)).observe($("scroll"));
for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => (choose(button.dataset.language), draw()));
}
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    drawTitle();
    if (feed && !feed.source) feed.open();
  } else rest();
});

// A browser has few connections for one server: a hidden tab that waits for nothing gives its back.
function rest() {
  if (feed && !running()) feed.close();
}

function drawLatest() {
  const { scrollHeight, scrollTop, clientHeight } = $("scroll");
  $("latest").hidden = scrollHeight - scrollTop - clientHeight < 160;
}

drawerReach();
start();
