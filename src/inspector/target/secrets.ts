/**
 * The secrets of a recording: values whose names say that they are secret. They never reach a file, wherever they occur.
 *
 * The process keeps them in memory, because a replay has to send them again.
 */
import { isJsonObject } from "../../jsonrpc/message.ts";

/** Names whose values are secret. */
const NAME = /pass(?:word|phrase|code)|secret|token|api.?key|credential|authorization|cookie|private.?key|^pin$/i;
/** A secret of fewer characters is replaced only if it is the whole value: as a part of other texts it may be a coincidence. */
const MIN_PART = 4;
/** Texts of more characters are not read as JSON. */
const MAX_JSON = 1_048_576;

export class Secrets {
  readonly #known = new Map<string, number>();

  /** How many there are. They are numbered from 1. */
  get count(): number {
    return this.#known.size;
  }

  /** Finds the secrets of a value, also in texts that are JSON themselves. */
  find(value: unknown, isSecret = false): void {
    if (typeof value === "string") {
      if (isSecret) this.#add(value);
      else this.find(jsonIn(value));
    } else if (typeof value === "number" && isSecret && String(value).length >= MIN_PART) this.#add(String(value));
    else if (Array.isArray(value)) for (const item of value) this.find(item, isSecret);
    else if (isJsonObject(value)) for (const [name, one] of Object.entries(value)) this.find(one, isSecret || NAME.test(name));
  }

  /** A copy in which each secret is replaced by `(secret 1)`, `(secret 2)` … */
  without<T>(value: T): T {
    return this.#without(value) as T; // only texts and numbers have changed
  }

  #add(secret: string): void {
    if (secret !== "" && !this.#known.has(secret)) this.#known.set(secret, this.#known.size + 1);
  }

  #without(value: unknown): unknown {
    if (typeof value === "string") return this.#textWithout(value);
    if (typeof value === "number" && this.#known.has(String(value))) return this.#textWithout(String(value));
    if (Array.isArray(value)) return value.map((item) => this.#without(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [this.#textWithout(name, false), this.#without(one)]));
  }

  #textWithout(text: string, isWhole = true): string {
    const whole = isWhole ? this.#known.get(text) : undefined;
    if (whole !== undefined) return markOf(whole);
    // The longest first, because one secret may be a part of another.
    const longest = [...this.#known].filter(([secret]) => secret.length >= MIN_PART).toSorted(([a], [b]) => b.length - a.length);
    let left = text;
    for (const [secret, number] of longest) {
      left = left.replaceAll(secret, markOf(number)).replaceAll(JSON.stringify(secret).slice(1, -1), markOf(number));
    }
    return left;
  }
}

/** What is written in place of a secret. */
function markOf(number: number): string {
  return `(secret ${number})`;
}

/** Whether a secret was left out of a text. */
export function hasMark(text: string): boolean {
  return /\(secret \d+\)/.test(text);
}

/** The name of the variable of the environment that has the secret. */
export function variableOf(number: number | string): string {
  return `TENON_SECRET_${number}`;
}

/** Source text of JSON in which each value that is a secret comes from the environment. A name and a part of a text stay as they are. */
export function fromEnvironment(source: string): string {
  return source.replace(/(?<!\\)"\(secret (\d+)\)"(?!\s*:)/g, (_, number: string) => `(process.env["${variableOf(number)}"] ?? "")`);
}

function jsonIn(text: string): unknown {
  if (text.length > MAX_JSON || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it is no JSON
  }
}
