/** The error of a store whose engine cannot be asked. Peers receive only that; the operator finds the engine's own error in `cause`. */
import { DamagedEntryError } from "../storage/damaged-entry.ts";
import { ErrorCode, McpError, McpUsageError } from "../jsonrpc/mcp-error.ts";

/** Milliseconds after which another attempt makes sense. */
const RETRY_AFTER = 1_000;

/** The engine of a store is away, too slow, or refuses to store more. JSON-RPC -32603 with `data.reason` `storeUnavailable`. */
export class StoreUnavailableError extends McpError {
  override name = "StoreUnavailableError";

  /** Whether the engine may have carried out what it was asked: `not-sent` if it certainly did not. */
  readonly delivery: "not-sent" | "unknown";

  /** `cause` is the engine's or the library's error. Security: peers receive `message`, so only `ready()` gives one. */
  constructor(delivery: "not-sent" | "unknown", cause: unknown, message = "The store is not available") {
    const data = { reason: "storeUnavailable", delivery, retryAfterMs: RETRY_AFTER };
    super(ErrorCode.InternalError, message, data, { cause });
    this.delivery = delivery;
  }
}

/** The cause of a {@link StoreUnavailableError} if the engine did not respond in time. */
export class LateError extends Error {}

/**
 * Waits for a response of the engine, but not longer than `ms`.
 * @param delivery what the error says of a failure; default: what follows from it
 * @throws StoreUnavailableError for every failure
 */
export async function answered<T>(work: Promise<T>, ms: number, what: string, delivery?: "not-sent"): Promise<T> {
  let stop!: () => void;
  const late = new Promise<never>((_resolve, reject) => {
    stop = startDeadline(ms, () => reject(new LateError(`${what} took longer than ${ms} ms (option "timeout")`)));
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw error instanceof McpError || error instanceof McpUsageError
      ? error
      : new StoreUnavailableError(delivery ?? deliveryOf(error), error);
  } finally {
    stop();
  }
}

/** Parts of a deadline. */
const PARTS = 10;

/**
 * Calls `late` after `ms` milliseconds, in which this process had at least ten turns to read a response. A process that is busy for a second reads
 * nothing meanwhile, although the engine has responded. Returns a function that ends it.
 */
function startDeadline(ms: number, late: () => void): () => void {
  let [timer, left]: [ReturnType<typeof setTimeout> | undefined, number] = [undefined, PARTS];
  const next = (): void => {
    timer = setTimeout(() => (--left > 0 ? next() : late()), ms / PARTS);
  };
  next();
  return () => clearTimeout(timer);
}

/** Errors of sockets and libraries that come before anything is sent. */
const BEFORE_SENDING = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH"]);
/** The package `pg` says it of a query for which no connection of its pool became free. */
const NO_CONNECTION = "timeout exceeded when trying to connect";

function deliveryOf(error: unknown): "not-sent" | "unknown" {
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown }; // of any library
  const isBefore = BEFORE_SENDING.has(String(code)) || name === "ClientOfflineError" || message === NO_CONNECTION;
  return isBefore ? "not-sent" : "unknown";
}

/** The owner of the stores has closed them. `cause`: what has failed by it. */
export function closedError(cause?: StoreUnavailableError): StoreUnavailableError {
  return new StoreUnavailableError(cause?.delivery ?? "not-sent", new Error("The stores are closed", { cause }));
}

// ---- for the operator ----

/** Waits for the check of an engine at the start. Its error goes to the operator, so it says why the engine is not available. */
export async function explained(engine: string, ready: Promise<void>): Promise<void> {
  try {
    await ready;
  } catch (error) {
    throw error instanceof StoreUnavailableError ? withReason(engine, error) : error;
  }
}

/**
 * `onError` of an engine. Every error of an engine names it, also one of a library that has no text of its own. What ends because the owner of the
 * stores has closed them is no error.
 */
export function reportTo(engine: string, onError: (error: unknown) => void, isClosed: () => boolean): (error: unknown) => void {
  return (error) => {
    if (isClosed()) return;
    if (error instanceof StoreUnavailableError) onError(withReason(engine, error));
    else if (error instanceof DamagedEntryError) onError(error); // its `cause` says which entry it is
    else if (error instanceof Error && error.message.includes(engine)) onError(error);
    else onError(new Error(`${engine}: ${reasonOf(error)}`, { cause: error }));
  };
}

function withReason(engine: string, { delivery, cause }: StoreUnavailableError): StoreUnavailableError {
  return new StoreUnavailableError(delivery, cause, `${engine} is not available: ${reasonOf(cause)}`);
}

/** What engines and libraries say, and what the operator can do then. The first that fits counts. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/\bNOAUTH\b|password must be a string/, 'Name a password (option "url")'],
  [/\bWRONGPASS\b|password authentication failed|authorization violation/i, 'Check the user and the password (option "url")'],
  [/no pg_hba\.conf entry/, 'Check the user, the database and whether to use TLS (option "url")'],
  [/database ".*" does not exist|DB index is out of range/, 'Name a database that exists (option "url")'],
  [/does not support (SSL|'tls')/, 'Turn on TLS there, or connect without it (option "url")'],
  [/ENOTFOUND|EAI_AGAIN/, 'Check the name of the host (option "url")'],
  [/ECONNREFUSED|connection refused/i, 'Start it, or name another address (option "url")'],
  [/took longer than|time-?out/i, 'Check the address, and whether both ends use TLS or none does (option "url")'],
];

/** Texts that do not say what is wrong. */
const NEEDS_PASSWORD = /\bNOAUTH\b|password must be a string/;

function reasonOf(error: unknown): string {
  const text = textOf(error);
  const advice = ADVICE.find(([said]) => said.test(text))?.[1];
  const said = NEEDS_PASSWORD.test(text) ? "it asks for a password" : text;
  return advice === undefined ? said : `${said.replace(/\.$/, "")}. ${advice}`;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The library of NATS does not say which address refused.
  if (error.cause instanceof Error && error.message === "connection refused") return textOf(error.cause);
  if (error.message !== "") return error.message;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(textOf).join(", ");
  return "code" in error ? String(error.code) : error.name;
}
