/**
 * A result that begins with members many others begin with, such as who answers: their text is made once.
 *
 * To be written or copied, not to be read: its members are not where those of an ordinary result are.
 */
import type { JsonObject } from "./message.ts";

/** What many results begin with: at least one member. */
export class ResultHead {
  readonly members: JsonObject;
  /** Their JSON, without the closing brace. */
  readonly text: string;

  constructor(members: JsonObject) {
    this.members = members;
    this.text = JSON.stringify(members).slice(0, -1);
  }
}

export class HeadedResult {
  [member: string]: unknown;
  readonly #head: ResultHead;
  readonly #rest: JsonObject;

  /** @param rest has none of the members of `head`, and no `toJSON` */
  constructor(head: ResultHead, rest: JsonObject) {
    this.#head = head;
    this.#rest = rest;
  }

  toJSON(): JsonObject {
    return { ...this.#head.members, ...this.#rest };
  }

  /** Its members in two parts: to join them costs as much as to copy them. */
  get parts(): readonly JsonObject[] {
    return [this.#head.members, this.#rest];
  }

  /** Its JSON text. @throws TypeError for what has no JSON form */
  stringify(): string {
    const rest = JSON.stringify(this.#rest);
    return this.#head.text + (rest === "{}" ? "}" : `,${rest.slice(1)}`);
  }
}
