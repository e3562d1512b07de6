/** The stores that `--store` names: all nodes of one server share them. */
import { systemReason } from "../connection/unreachable.ts";
import { type StoreOptions, StoreUnavailableError } from "tenon/stores/redis";
import type { Stores } from "tenon/stores/memory";
import { UsageError } from "../failure.ts";

const FORMS = "redis://host:6379, postgres://user@host/database or nats://host:4222";
/** Milliseconds in which one problem is shown once: a library tells of each attempt to connect. */
const SHOWN_ONCE_IN = 60_000;

/**
 * Opens the stores of an engine. An engine that cannot be reached is shown in one line, and asked again with each use: the node serves what
 * needs no store, and is not ready until then.
 * @param note shows a line to the operator
 * @throws UsageError if no engine has such URLs; McpUsageError if its package is not installed, or its configuration would lose data
 */
export async function openStores(url: string, note: (line: string) => void, options: Pick<StoreOptions, "loginKey"> = {}): Promise<Stores> {
  const problems = new StoreProblems(url, note);
  const stores = await makeStores(url, { ...options, onError: (error) => problems.show(error) });
  try {
    await stores.ready();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) {
      await stores.close();
      throw error;
    }
    problems.show(error);
  }
  return stores;
}

/** @throws UsageError if no engine has such URLs */
async function makeStores(url: string, options: StoreOptions): Promise<Stores> {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: "" };
  if (/^rediss?:$/.test(protocol)) {
    const { redisStores } = await import("tenon/stores/redis");
    return redisStores({ url, ...options });
  }
  if (/^postgres(ql)?:$/.test(protocol)) {
    const { postgresStores } = await import("tenon/stores/postgres");
    return postgresStores({ url, ...options });
  }
  if (/^(nats|tls):$/.test(protocol)) {
    const { natsStores } = await import("tenon/stores/nats");
    return natsStores({ url, ...options });
  }
  const typed = protocol === "" ? "" : `, not ${protocol}//…`; // the rest may hold a password
  throw new UsageError(`--store must be ${FORMS}${typed}.`);
}

/** Shows what goes wrong with an engine, each problem in one line. */
class StoreProblems {
  readonly #place: string;
  readonly #note: (line: string) => void;
  #last = "";
  #shownAt = -Infinity;

  constructor(url: string, note: (line: string) => void) {
    const { protocol, host } = URL.canParse(url) ? new URL(url) : { protocol: "", host: "" };
    this.#place = `The store at ${protocol}//${host}`; // without the user and the password
    this.#note = note;
  }

  show(error: unknown): void {
    const reason = reasonOf(error);
    if (reason === undefined) return this.#showOnce(textOf(error), `${this.#place}: ${textOf(error)}`);
    const remedy = "Requests that need it fail until it is there: start it, or name another one with --store.";
    this.#showOnce("away", `${this.#place} is not available: ${reason}. ${remedy}`);
  }

  /** A library words the same problem in several ways, so `problem` says which lines are about one. */
  #showOnce(problem: string, line: string): void {
    const now = performance.now();
    if (problem === this.#last && now - this.#shownAt < SHOWN_ONCE_IN) return;
    this.#last = problem;
    this.#shownAt = now;
    this.#note(line);
  }
}

/** Why an engine is not available; undefined for other errors. */
function reasonOf(error: unknown): string | undefined {
  return systemReason(error) ?? (error instanceof StoreUnavailableError ? textOf(error.cause) : undefined);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
