/**
 * The secrets of a recording, and of what other clients of a server say: values whose names say that they are secret, and tokens after
 * `Bearer`. Secrets of a recording never reach a file, wherever they occur; secrets of other clients never reach the page.
 *
 * The process keeps secrets of a recording in memory, because a replay has to send them again.
 */
import { isJsonObject, jsonIn } from "tenon/internal";
import type { JSONRPCMessage, JsonObject } from "tenon";

/** Names whose values are secret. A progress token is only a number of a request. */
const NAME = /pass(?:word|phrase|code)|secret|(?<!progress)token|api.?key|credential|authorization|cookie|private.?key|^dpop$|^pin$/i;
/** Names whose numbers are counts, such as `maxTokens`. */
const COUNT = /tokens$/i;
/** Members with a JSON Schema: it names secrets, and holds none. */
const SCHEMAS: ReadonlySet<string> = new Set(["inputSchema", "outputSchema", "requestedSchema"]);
/** A token in the middle of a text. A shorter word, or one without a digit, may be an English word. */
const BEARER = /\bBearer\s+(?=[^\s"]*\d)([\w.~+/=-]{8,})/gi;
/** A value that no person has written: long, of one word, with digits and letters. */
const MADE = /^(?=.*\d)(?=.*[A-Za-z])[\w.~+=-]{12,}$/;
/** A secret of fewer characters is replaced only if it is the whole value: as a part of other texts it may be a coincidence. */
const MIN_PART = 4;
/** Texts of more characters are not read as JSON. */
const MAX_JSON = 1_048_576;

/** What is shown in place of a secret that is not numbered. */
export const LEFT_OUT = "(left out)";

/** Whether a value or a header of that name is secret. */
export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

/** A copy of a message without its secrets. What says which message it is stays. */
export function withoutSecrets(message: JSONRPCMessage): JSONRPCMessage {
  const secrets = new Secrets(() => LEFT_OUT);
  secrets.find(message);
  if (secrets.count === 0) return message;
  const { params, result, error } = message as { readonly params?: unknown; readonly result?: unknown; readonly error?: unknown };
  const content = Object.entries({ params, result, error }).filter(([, value]) => value !== undefined);
  return { ...message, ...secrets.without(Object.fromEntries(content)) };
}

export class Secrets {
  readonly #known = new Map<string, number>();
  readonly #markOf: (number: number) => string;

  /** @param mark what is written in place of the secret of that number. Default: `(secret 1)`, `(secret 2)` … */
  constructor(mark: (number: number) => string = markOf) {
    this.#markOf = mark;
  }

  /** How many there are. They are numbered from 1. */
  get count(): number {
    return this.#known.size;
  }

  /** Finds the secrets of a value, also in texts that are JSON themselves. */
  find(value: unknown, isSecret = false): void {
    if (typeof value === "string") this.#findInText(value, isSecret);
    else if (typeof value === "number" && isSecret && String(value).length >= MIN_PART) this.#add(String(value));
    else if (Array.isArray(value)) for (const item of value) this.find(item, isSecret);
    else if (isJsonObject(value)) this.#findInObject(value, isSecret);
  }

  /** Finds the secrets among headers or variables: those that are named so, and values that look made. A server may repeat what it was given. */
  findGiven(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      const [word = ""] = value.trim().split(/\s+/).slice(-1); // after a scheme
      if (!NAME.test(name) && !MADE.test(word)) continue;
      this.#add(value);
      this.#add(word);
    }
  }

  /** A copy in which each secret is replaced by its mark. */
  without<T>(value: T): T {
    return this.#without(value) as T; // only texts and numbers have changed
  }

  #findInText(text: string, isSecret: boolean): void {
    if (isSecret) return this.#add(text);
    this.find(treeIn(text));
    for (const [, token = ""] of text.matchAll(BEARER)) this.#add(token);
  }

  #findInObject(object: JsonObject, isSecret: boolean): void {
    // A header or a variable may also be an object with a name and a value.
    const isNamed = typeof object["name"] === "string" && NAME.test(object["name"]);
    for (const [name, value] of Object.entries(object)) {
      if (SCHEMAS.has(name) && isJsonObject(value)) continue;
      const isCount = typeof value === "number" && COUNT.test(name);
      this.find(value, isSecret || (NAME.test(name) && !isCount) || (isNamed && name === "value"));
    }
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
    if (whole !== undefined) return this.#markOf(whole);
    // The longest first, because one secret may be a part of another.
    const longest = [...this.#known].filter(([secret]) => secret.length >= MIN_PART).toSorted(([a], [b]) => b.length - a.length);
    let left = text;
    for (const [secret, number] of longest) {
      const mark = this.#markOf(number);
      left = left.replaceAll(secret, mark).replaceAll(JSON.stringify(secret).slice(1, -1), mark);
    }
    return left;
  }
}

function markOf(number: number): string {
  return `(secret ${number})`;
}

export function hasMark(text: string): boolean {
  return /\(secret \d+\)/.test(text);
}

export function variableOf(number: number | string): string {
  return `TENON_SECRET_${number}`;
}

/** Source text of JSON in which each value that is a secret comes from the environment. A name and a part of a text stay as they are. */
export function fromEnvironment(source: string): string {
  return source.replace(/(?<!\\)"\(secret (\d+)\)"(?!\s*:)/g, (_, number: string) => `(process.env["${variableOf(number)}"] ?? "")`);
}

function treeIn(text: string): unknown {
  return text.length > MAX_JSON || !/^\s*[[{]/.test(text) ? undefined : jsonIn(text);
}
