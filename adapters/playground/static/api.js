// The server: requests, and the feed of changes.

export class ApiError extends Error {
  constructor(status, code) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export async function call(path, { method = "GET", body, file } = {}) {
  // A file goes as plain bytes: of this type, no form of another site can send one.
  const headers = file ? { "Content-Type": "application/octet-stream" } : body ? { "Content-Type": "application/json" } : {};
  const response = await fetch(path, { method, headers, body: file ?? (body && JSON.stringify(body)) });
  const json = response.headers.get("content-type")?.startsWith("application/json") ? await response.json() : {};
  if (!response.ok) throw new ApiError(response.status, json.error ?? "trouble");
  return json;
}

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const SILENCE = 40_000; // the server pings every 15 seconds

// Follows the feed from a cursor. Events carry the cursor behind them, so that a new connection goes on there.
export class Feed {
  constructor(cursor, handlers) {
    this.cursor = cursor;
    this.handlers = handlers;
    this.wait = 500;
    this.open();
    setInterval(() => {
      if (this.source && Date.now() - this.heard > SILENCE) this.open();
    }, 5_000);
    addEventListener("online", () => this.open());
  }

  open() {
    this.close();
    this.heard = Date.now();
    const source = new EventSource(`/api/stream?since=${encodeURIComponent(this.cursor)}`);
    this.source = source;
    source.onopen = () => {
      this.heard = Date.now();
      this.wait = 500;
      this.handlers.connected(true);
    };
    source.onerror = () => {
      this.handlers.connected(false);
      if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      // Refused, not cut off: when the token was changed, the page has to ask for the new one.
      call("/api/config").catch((error) => error.status === 401 && location.reload());
      this.retry = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, 8_000);
    };
    for (const name of ["thread", "post", "reset", "ping"]) {
      source.addEventListener(name, (event) => {
        this.heard = Date.now();
        this.cursor = event.lastEventId;
        this.handlers[name]?.(JSON.parse(event.data));
      });
    }
  }

  close() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }
}
