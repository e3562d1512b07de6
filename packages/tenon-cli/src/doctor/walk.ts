/** A walk from hop to hop. Each hop is tried whatever became of the earlier ones, and its result is recorded. */
import { AuthorizationError } from "tenon/auth";
import type { Deviation } from "tenon/client";
import { printableUrl, shorten } from "tenon/internal";
import { toCommandWords } from "../login/auth-words.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface HopReport {
  readonly hop: string;
  readonly status: "ok" | "failed" | "skipped";
  /** The finding, the problem, or the reason for skipping. */
  readonly detail: string;
  readonly url?: string;
  /** What to do about it, one sentence or two. */
  readonly fix?: string;
  /** The server's error code. */
  readonly error?: string;
  /** All that deviates from the protocol. */
  readonly deviations?: readonly Deviation[];
  /** Milliseconds that the hop took. */
  readonly ms: number;
}

/** The result of a hop that did not fail. */
export interface HopResult<T> {
  readonly status: "ok" | "skipped";
  readonly detail: string;
  readonly url?: string | undefined;
  /** The value for later hops. */
  readonly value?: T;
  readonly deviations?: readonly Deviation[];
}

export function ok<T>(detail: string, value?: T, url?: string): HopResult<T> {
  return { status: "ok", detail, ...(value !== undefined && { value }), url };
}

export function skipped<T>(detail: string, value?: T): HopResult<T> {
  return { status: "skipped", detail, ...(value !== undefined && { value }) };
}

export class HopFailure extends Error {
  override name = "HopFailure";
  readonly url: string | URL | undefined;
  readonly fix: string;
  deviations: readonly Deviation[] | undefined;

  constructor(problem: string, fix: string, url?: string | URL) {
    super(problem);
    this.fix = fix;
    this.url = url;
  }
}

/** Most characters to show of a hop's detail. */
const MAX_DETAIL = 400;

type Screen = Pick<Terminal, "activity" | "clearProgress">;

export class Walk {
  readonly reports: HopReport[] = [];
  readonly #screen: Screen;
  readonly #signal: AbortSignal;
  readonly #left: () => number;

  /** @param left returns the milliseconds that are left for all further hops. Default: no limit */
  constructor(screen: Screen, signal: AbortSignal, left: () => number = () => Infinity) {
    this.#screen = screen;
    this.#signal = signal;
    this.#left = left;
  }

  /** Tries a hop and records its result. Returns its value; undefined if it failed or has none. @throws the reason of the walk's signal */
  async hop<T>(name: string, look: () => Promise<HopResult<T>> | HopResult<T>): Promise<T | undefined> {
    if (this.#left() < 1) {
      this.reports.push({ hop: name, status: "skipped", detail: "no time was left for it (--timeout gives more)", ms: 0 });
      return undefined;
    }
    this.#screen.activity(`${name} ...`);
    const start = performance.now();
    const ms = (): number => Math.round(performance.now() - start);
    try {
      const { status, detail, url, value, deviations } = await look();
      this.reports.push({
        hop: name,
        status,
        detail: shorten(detail, MAX_DETAIL),
        ...(url !== undefined && { url: printableUrl(url) }),
        ...(deviations !== undefined && { deviations }),
        ms: ms(),
      });
      return value;
    } catch (error) {
      this.#signal.throwIfAborted();
      this.reports.push({ hop: name, status: "failed", ...explain(error), ms: ms() });
      return undefined;
    } finally {
      this.#screen.clearProgress();
    }
  }

  /** A separate walk, whose hops are appended to the report later. */
  aside(): Walk {
    return new Walk(this.#screen, this.#signal, this.#left);
  }

  append({ reports }: Walk): void {
    this.reports.push(...reports);
  }

  get failed(): HopReport | undefined {
    return this.reports.find(({ status }) => status === "failed");
  }
}

function explain(error: unknown): Pick<HopReport, "detail" | "url" | "fix" | "error" | "deviations"> {
  if (error instanceof AuthorizationError) {
    const { problem, remedy, url, error: code } = error;
    return { detail: toCommandWords(problem), url, fix: toCommandWords(remedy), ...(code !== undefined && { error: code }) };
  }
  if (error instanceof HopFailure) {
    const { message, fix, url, deviations } = error;
    return { detail: message, fix, ...(url !== undefined && { url: printableUrl(url) }), ...(deviations && { deviations }) };
  }
  return {
    detail: error instanceof Error ? error.message : String(error),
    fix: "Try again; if it stays so, tell the operator of the server.",
  };
}
