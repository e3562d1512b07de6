/** The rounds of a call, as its messages on the wire tell them: a question ends a round, and its answer begins the next one. */
import type { CallEntry, Numbered, WireEntry } from "../../entries.ts";
import { isObject, type Json } from "./json.ts";
import { version, wire } from "./store.ts";

/** Most messages that are looked at for one call. */
const MAX_LOOKED_AT = 20_000;
const QUESTIONS: readonly string[] = ["elicitation/create", "sampling/createMessage", "roots/list"];

export interface Exchange {
  readonly request: Numbered<WireEntry>;
  readonly response?: Numbered<WireEntry>;
}

export interface CallWire {
  /** The requests of the call, one for each round. */
  readonly rounds: readonly Exchange[];
  /** What the server asked by requests of its own while the call ran (stateful revisions). */
  readonly questions: readonly Exchange[];
}

/** The messages of a call so far. Those that were dropped are missing. */
export function wireOf({ target, revision, ids, after, state }: CallEntry): CallWire {
  void version.wire.value;
  const [rounds, questions] = [new Map<unknown, Exchange>(), new Map<unknown, Exchange>()];
  let isOver = false;
  const begin = indexAfter(wire, after);
  for (let at = begin; at < wire.length && at < begin + MAX_LOOKED_AT && !isOver; at++) {
    const message = wire[at]!;
    if (message.target !== target || message.client !== undefined || message.revision !== revision) continue;
    const { sent, type, id, method = "" } = message;
    if (type === "request" && sent && ids.includes(id!)) rounds.set(id, { request: message });
    else if (type === "request" && !sent && rounds.size > 0 && QUESTIONS.includes(method)) questions.set(id, { request: message });
    else if (type === "result" || type === "error") {
      const open = sent ? questions : rounds;
      const exchange = open.get(id);
      if (exchange !== undefined) open.set(id, { ...exchange, response: message });
      isOver = state !== "running" && !sent && id === ids.at(-1);
    }
  }
  return { rounds: [...rounds.values()], questions: [...questions.values()] };
}

/** What a message holds; undefined if only its beginning is here. */
export function contentOf({ text, cut }: WireEntry): Json | undefined {
  if (cut) return undefined;
  const value: unknown = JSON.parse(text); // the process has read it
  return isObject(value) ? value : undefined;
}

/** The index of the first entry after that number. */
export function indexAfter(entries: readonly Numbered[], seq: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
