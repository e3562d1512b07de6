/**
 * The keys under which a model sees the members of arguments, for one tool. A key that its API accepts stays; any other name gets one
 * key, the same at each place of the schema, and no name gets the key of another. So the way back needs no guess.
 */
import { argumentKey } from "../base/argument-keys.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

export class ShownKeys {
  readonly #root: JsonObject;
  readonly #accepted: RegExp | undefined;
  readonly #shown = new Map<string, string>();
  #taken: Set<string> | undefined;

  /** @param accepted what a key must match; undefined if anything may be one */
  constructor(root: JsonObject, accepted: RegExp | undefined) {
    this.#root = root;
    this.#accepted = accepted;
  }

  /** Whether the schema declares a name that is not accepted. */
  get isNeeded(): boolean {
    const accepted = this.#accepted;
    return accepted !== undefined && [...(this.#taken ??= propertyNames(this.#root))].some((name) => !accepted.test(name));
  }

  shown(name: string): string {
    if (this.#accepted === undefined || this.#accepted.test(name)) return name;
    const known = this.#shown.get(name);
    if (known !== undefined) return known;
    const taken = (this.#taken ??= propertyNames(this.#root));
    const key = argumentKey(name, (wished) => taken.has(wished));
    taken.add(key);
    this.#shown.set(name, key);
    return key;
  }

  /** An object with the keys that the model sees. */
  inMembers(members: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(members).map(([name, member]) => [this.shown(name), member]));
  }

  /** An argument of `dependentRequired` with the keys that the model sees. */
  inNames(dependencies: unknown): unknown {
    if (!isJsonObject(dependencies)) return dependencies;
    const shown = Object.entries(dependencies).map(([name, others]) => [
      this.shown(name),
      Array.isArray(others) ? others.map((other) => this.shown(String(other))) : others,
    ]);
    return Object.fromEntries(shown);
  }
}

function propertyNames(root: JsonObject): Set<string> {
  const names = new Set<string>();
  const visited = new Set<unknown>();
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null || visited.has(value)) continue;
    visited.add(value);
    if (isJsonObject(value) && isJsonObject(value["properties"])) for (const name of Object.keys(value["properties"])) names.add(name);
    open.push(...Object.values(value));
  }
  return names;
}
