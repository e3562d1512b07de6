/**
 * `--faults`: what a hostile or broken server does with its responses. A seed makes a run repeatable.
 *
 * The handshake, lists and pings stay whole, so that a client gets as far as its calls.
 */
import { jsonIn, isJsonObject } from "tenon/internal";
import { UsageError } from "../failure.ts";

/** What becomes of one response. */
export type Fault =
  /** It comes later. */
  | { readonly kind: "late"; readonly ms: number }
  /** Its second half is missing. */
  | { readonly kind: "cut" }
  /** It is something else than the protocol says. */
  | { readonly kind: "wrong"; readonly text: string }
  /** The connection is closed in its place. */
  | { readonly kind: "closed" };

const KINDS = ["late", "cut", "wrong", "closed"] as const;
type Kind = (typeof KINDS)[number];

export interface FaultPlan {
  readonly kinds: readonly Kind[];
  /** Milliseconds of `late`. */
  readonly late: number;
  /** The share of responses that have a fault, from 0 to 1. */
  readonly rate: number;
}

const LATE_MS = 1_000;

/** Parses `late=200ms,cut,rate=0.5`. @throws UsageError */
export function faultsIn(typed: string): FaultPlan {
  const plan: { kinds: Kind[]; late: number; rate: number } = { kinds: [], late: LATE_MS, rate: 1 };
  for (const part of typed.split(",").map((text) => text.trim())) {
    const [, name, value] = /^([a-z]+)(?:=(.+))?$/.exec(part) ?? [];
    if (name === "rate") plan.rate = rateIn(value, part);
    else if (name === "late" && value !== undefined) plan.late = millisecondsIn(value, part);
    if (name === "rate") continue;
    const kind = KINDS.find((one) => one === name);
    if (kind === undefined || (kind !== "late" && value !== undefined))
      throw new UsageError(
        `--faults ${JSON.stringify(part)} is unknown. There are: late, late=200ms, cut, wrong, closed, rate=0.5; joined by commas.`,
      );
    plan.kinds.push(kind);
  }
  if (plan.kinds.length === 0) throw new UsageError("--faults names no fault. There are: late, late=200ms, cut, wrong, closed.");
  return plan;
}

function rateIn(value: string | undefined, part: string): number {
  const rate = Number(value);
  if (rate > 0 && rate <= 1) return rate;
  throw new UsageError(`--faults ${JSON.stringify(part)}: the rate is a number above 0, up to 1.`);
}

function millisecondsIn(value: string, part: string): number {
  const [, number, unit = "ms"] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(value) ?? [];
  const ms = Number(number) * (unit === "s" ? 1_000 : 1);
  if (ms >= 0 && ms <= 3_600_000) return ms;
  throw new UsageError(`--faults ${JSON.stringify(part)}: write a time such as 200ms or 2s.`);
}

/** @throws UsageError unless it is a whole number from 0 */
export function seedIn(typed: string): number {
  const seed = Number(typed);
  if (Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new UsageError(`--seed must be a whole number from 0, not ${JSON.stringify(typed)}.`);
}

/** Chooses the fault of each response in turn. The same seed and the same order of responses give the same faults. */
export class Faults {
  readonly #plan: FaultPlan;
  readonly #random: () => number;

  constructor(plan: FaultPlan, seed: number) {
    this.#plan = plan;
    this.#random = randomOf(seed);
  }

  /** @param text the response as JSON @param id of its request */
  next(text: string, id: string | number): Fault | undefined {
    const [isHit, choice, variant] = [this.#random() < this.#plan.rate, this.#random(), this.#random()];
    const kind = this.#plan.kinds[Math.floor(choice * this.#plan.kinds.length)];
    if (!isHit || kind === undefined) return undefined;
    if (kind === "late") return { kind, ms: this.#plan.late };
    return kind === "wrong" ? { kind, text: wrong(text, id, variant) } : { kind };
  }
}

/** Something that is not the response: no JSON, another id, another version, a result of another shape, or both a result and an error. */
function wrong(text: string, id: string | number, variant: number): string {
  const message = JSON.parse(text) as object; // it was read as a response
  const variants: readonly string[] = [
    "<html><body>502 Bad Gateway</body></html>",
    JSON.stringify({ ...message, id: typeof id === "number" ? id + 1_000_000 : `${id}-other` }),
    JSON.stringify({ ...message, jsonrpc: "1.0" }),
    JSON.stringify({ jsonrpc: "2.0", id, result: "not an object" }),
    JSON.stringify({ jsonrpc: "2.0", id, result: { content: "not a list", contents: 1, messages: null } }),
    JSON.stringify({ ...message, result: {}, error: { code: -32_603, message: "both" } }),
  ];
  return variants[Math.floor(variant * variants.length)]!;
}

/** Numbers from 0 to 1 that look random: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Methods whose responses can have a fault. */
const CALLS: ReadonlySet<string> = new Set(["tools/call", "resources/read", "prompts/get", "completion/complete"]);

/** Remembers which requests are calls, so that their responses are found. */
export class FaultyCalls {
  readonly #faults: Faults;
  readonly #open = new Set<string>();

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  /** @param message of the client, as JSON */
  sent(message: unknown, session = ""): void {
    for (const one of Array.isArray(message) ? (message as unknown[]) : [message]) {
      if (!isJsonObject(one) || typeof one["method"] !== "string" || one["id"] === undefined || !CALLS.has(one["method"])) continue;
      this.#open.add(`${session} ${JSON.stringify(one["id"])}`);
    }
  }

  /** The fault of a message of the server; undefined if it is to be sent unchanged. */
  of(text: string, session = ""): Fault | undefined {
    const message = jsonIn(text);
    if (!isJsonObject(message) || "method" in message) return undefined;
    const { id } = message;
    if ((typeof id !== "string" && typeof id !== "number") || !this.#open.delete(`${session} ${JSON.stringify(id)}`)) return undefined;
    return this.#faults.next(text, id);
  }
}
