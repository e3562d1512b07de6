/** What posts messages on each platform, and how it is heard: by events of the DOM, or by an emitter of Node. */

/** Anything that posts messages: a `MessagePort`, a `Worker`, a worker's own global, `parentPort`, a port of Electron, or a `Window`. */
export interface PostingPort {
  /** Posts a copy of a value. */
  postMessage(message: unknown, ...rest: never[]): void;
}

/** What some ports have besides. */
export interface KnownPort extends PostingPort {
  addEventListener?(type: string, listener: (event: unknown) => void): void;
  removeEventListener?(type: string, listener: (event: unknown) => void): void;
  on?(type: string, listener: (value: unknown) => void): void;
  off?(type: string, listener: (value: unknown) => void): void;
  start?(): void;
  close?(): void;
}

/** A window has a `window`; a proxy of a window of another origin has nothing but it and a few others. */
export function isWindow(port: object): boolean {
  try {
    return "window" in port && port !== globalThis;
  } catch {
    return true; // of another origin
  }
}

export function isMessagePort(port: object): boolean {
  return "start" in port && "close" in port;
}

/** Hears an event of a port. Returns a function that stops it. */
export function hear(port: KnownPort, type: string, listener: (event: unknown) => void): () => void {
  if (port.addEventListener === undefined) port.on?.(type, listener);
  else port.addEventListener(type, listener);
  return () => (port.removeEventListener === undefined ? port.off?.(type, listener) : port.removeEventListener(type, listener));
}

/** An event of the platform or of Electron; Node's own emitters give the value alone. */
export function isEvent(value: unknown): value is { readonly data: unknown; readonly origin?: string; readonly source?: unknown } {
  return typeof value === "object" && value !== null && "data" in value && !("jsonrpc" in value);
}
