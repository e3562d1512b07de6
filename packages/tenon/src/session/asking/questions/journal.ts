/**
 * The journal of a call: the answers so far, the finished steps, and the questions of the last round.
 *
 * It travels to the client and back inside the sealed `requestState`; `../rounds/request-states.ts` does that.
 */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { InputRequest, InputResponses } from "../../../protocol/input-required.ts";
import { RunReport } from "./run-report.ts";

/** A journal as JSON. Lists of entries, so that no name is special. */
export interface JournalRecord {
  /** Rounds so far. */
  r: number;
  /** The id of the call. Secret, because the keys of its steps contain it. */
  c: string;
  /** Rounds so far that were claimed. */
  n: number;
  /** When the claim of the next such round expires, in milliseconds since 1970. No state of this call may live longer. */
  d?: number;
  /** Whether a round may use the answers only if it claims the state. */
  o?: true;
  /** Answers: name, mark of the question, answer. */
  a?: [string, string, JsonObject][];
  /** Steps: name and value; no value for a step that returned nothing. */
  s?: [string, unknown?][];
  /** Questions of the last round: name, mark, method. */
  q?: [string, string, InputRequest["method"]][];
  /** The handler's own state. */
  u?: string;
  /** The number of the node where the handler waits for the answers. */
  w?: number;
}

export function newJournal(): Journal {
  return new Journal({ r: 0, c: crypto.randomUUID(), n: 0 });
}

export class Journal {
  readonly round: number;
  readonly call: string;
  #claims: number;
  /** See `JournalRecord.d`; undefined if no state was sent since the last claim. */
  #deadline: number | undefined;
  /** The `requestState` that the handler set itself. */
  readonly own: string | undefined;
  /** What the handler does in this request. It is not part of the record. */
  readonly report: RunReport = new RunReport();
  readonly #answers = new Map<string, { mark: string; answer: JsonObject }>();
  /** As JSON text, so that no handler changes what is recorded. */
  readonly #steps = new Map<string, string | undefined>();
  readonly #asked: NonNullable<JournalRecord["q"]>;

  constructor(record: JournalRecord) {
    this.round = record.r;
    this.call = record.c;
    this.#claims = record.n;
    this.#deadline = record.d;
    this.own = record.u;
    for (const [name, mark, answer] of record.a ?? []) this.#answers.set(name, { mark, answer });
    for (const entry of record.s ?? []) this.#steps.set(entry[0], entry.length === 1 ? undefined : JSON.stringify(entry[1]));
    this.#asked = record.q ?? [];
  }

  /**
   * Records the answers to the last questions; all others are ignored. `fits` says whether an answer is of the right kind; if not,
   * the question is asked again.
   */
  receive(responses: InputResponses, fits: (method: string, answer: JsonObject) => boolean): void {
    for (const [name, mark, method] of this.#asked) {
      if (!Object.hasOwn(responses, name)) continue;
      const answer: JsonObject = responses[name]!;
      if (fits(method, answer)) this.#answers.set(name, { mark, answer });
    }
  }

  get answers(): NonNullable<JournalRecord["a"]> {
    return [...this.#answers].map(([name, { mark, answer }]) => [name, mark, answer]);
  }

  /** The recorded answer to exactly that question. */
  answerTo(name: string, mark: string): JsonObject | undefined {
    const known = this.#answers.get(name);
    return known?.mark === mark ? known.answer : undefined;
  }

  /** Records that the round is claimed: no other round of this call has its number. */
  countClaim(): void {
    this.#claims++;
    this.#deadline = undefined;
  }

  hasStep(name: string): boolean {
    return this.#steps.has(name);
  }

  /** A copy of what a step returned. */
  stepValue(name: string): unknown {
    const text = this.#steps.get(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  keepStep(name: string, text: string | undefined): void {
    this.#steps.set(name, text);
  }

  toRecord(asked: NonNullable<JournalRecord["q"]>, own?: string): JournalRecord {
    const record: JournalRecord = { r: this.round + 1, c: this.call, n: this.#claims };
    if (this.#deadline !== undefined) record.d = this.#deadline;
    if (this.#answers.size > 0) record.a = this.answers;
    if (this.#steps.size > 0) record.s = [...this.#steps].map(([name, text]) => (text === undefined ? [name] : [name, JSON.parse(text)]));
    if (asked.length > 0) record.q = asked;
    if (own !== undefined) record.u = own;
    return record;
  }
}
