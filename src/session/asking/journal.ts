/**
 * What is known of a call that asks its client: the answers so far, the steps that have run, and what was asked last.
 *
 * It travels to the client and back inside the sealed `requestState`; nothing here knows how.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest, InputResponses } from "../../protocol/input-required.ts";

/** A journal as JSON. Lists of entries, so that no name is special. */
export interface JournalRecord {
  /** Rounds so far. */
  r: number;
  /** Answers: name, mark of the question, answer. */
  a?: [string, string, JsonObject][];
  /** Steps: name and value; no value for a step that returned nothing. */
  s?: [string, unknown?][];
  /** Questions of the last round: name, mark, method. */
  q?: [string, string, InputRequest["method"]][];
  /** The handler's own state. */
  u?: string;
}

export class Journal {
  /** Rounds so far. */
  round: number;
  /** What the handler gave as `requestState` by hand. */
  readonly own: string | undefined;
  readonly #answers = new Map<string, { mark: string; answer: JsonObject }>();
  /** As JSON text, so that no handler changes what is recorded. */
  readonly #steps = new Map<string, string | undefined>();
  readonly #asked: NonNullable<JournalRecord["q"]>;

  constructor(record: JournalRecord = { r: 0 }) {
    this.round = record.r;
    this.own = record.u;
    for (const [name, mark, answer] of record.a ?? []) this.#answers.set(name, { mark, answer });
    for (const entry of record.s ?? []) this.#steps.set(entry[0], entry.length === 1 ? undefined : JSON.stringify(entry[1]));
    this.#asked = record.q ?? [];
  }

  /**
   * Takes the answers to what was asked last; those to anything else are ignored (H7).
   * `fits` tells whether an answer is one to that kind of question; one that is not is asked for again.
   */
  receive(responses: InputResponses, fits: (method: string, answer: JsonObject) => boolean): void {
    for (const [name, mark, method] of this.#asked) {
      if (!Object.hasOwn(responses, name)) continue;
      const answer: JsonObject = responses[name]!;
      if (fits(method, answer)) this.#answers.set(name, { mark, answer });
    }
  }

  /** The answer to exactly that question. */
  answerTo(name: string, mark: string): JsonObject | undefined {
    const known = this.#answers.get(name);
    return known?.mark === mark ? known.answer : undefined;
  }

  keepAnswer(name: string, mark: string, answer: JsonObject): void {
    this.#answers.set(name, { mark, answer });
  }

  hasStep(name: string): boolean {
    return this.#steps.has(name);
  }

  /** What a step returned, as JSON text. */
  step(name: string): string | undefined {
    return this.#steps.get(name);
  }

  keepStep(name: string, text: string | undefined): void {
    this.#steps.set(name, text);
  }

  /** The journal as it goes out with these questions. */
  toRecord(asked: NonNullable<JournalRecord["q"]>, round: number, own?: string): JournalRecord {
    const record: JournalRecord = { r: round };
    if (this.#answers.size > 0) record.a = [...this.#answers].map(([name, { mark, answer }]) => [name, mark, answer]);
    if (this.#steps.size > 0) record.s = [...this.#steps].map(([name, text]) => (text === undefined ? [name] : [name, JSON.parse(text)]));
    if (asked.length > 0) record.q = asked;
    if (own !== undefined) record.u = own;
    return record;
  }
}
