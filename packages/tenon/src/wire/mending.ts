/**
 * Mends messages that do not fit their shape: functions compiled from the same shapes as the checks.
 *
 * An optional member that is null is dropped, an empty list in the place of an object becomes `{}`, an empty object in the place of a
 * list becomes `[]`, and an entry that cannot be mended is left out of its list. `mended-types.ts` says what is made of single types.
 * Everything else stays as it is: the check decides afterwards. Nothing is changed in place. The codec mends only what has failed its check, so a message that fits costs nothing.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { SERVER_INFO_KEY } from "../protocol/meta-keys.ts";
import type { Findings } from "./deviations.ts";
import { isEmptyList, isEmptyObject } from "./empty.ts";
import { ENTRIES, MENDED_TYPES, withoutNulls, type Mend } from "./mended-types.ts";
import { emptyList, emptyObject, memberPath } from "./schema-mending.ts";
import { aliasOf, itemOf, membersOf, type ShapeChecks, type ShapeMember } from "./shape.ts";

export type { Mend } from "./mended-types.ts";

/** Lists of {@link ENTRIES} that say nothing if all entries are left out. */
const SAYS_SOMETHING: ReadonlySet<string> = new Set(["ContentBlock", "Contents", "PromptMessage"]);

/** Optional members that a message is read without if they cannot be read: what they say stands elsewhere too, or is not needed. */
const EXTRA: ReadonlySet<string> = new Set(["structuredContent", "outputSchema", "ttlMs", "cacheScope", SERVER_INFO_KEY]);

/** Maps of questions and of their answers: a question that is left out would be asked for ever. */
const ASKED: ReadonlySet<string> = new Set(["InputRequest", "InputResponse"]);

/** Compiles the mends of one revision; each name is compiled once, when it is first needed. */
export class Mends {
  readonly #typeOf: (name: string) => string | undefined;
  readonly #othersOf: (name: string) => readonly string[];
  readonly #checks: ShapeChecks;
  readonly #named = new Map<string, Mend>();

  /** `typeOf` finds the entry of a type by its name, `othersOf` the entries of other revisions. */
  constructor(typeOf: (name: string) => string | undefined, othersOf: (name: string) => readonly string[], checks: ShapeChecks) {
    this.#typeOf = typeOf;
    this.#othersOf = othersOf;
    this.#checks = checks;
  }

  /** The mend of an entry of a dictionary. `others` are the entries of other revisions in its place. */
  entry(entry: string, others: readonly string[]): Mend {
    const alias = aliasOf(entry);
    return alias === undefined ? this.#object(membersOf(entry), others.flatMap(membersOf)) : this.#term(alias);
  }

  #term(term: string): Mend {
    if (term.startsWith("'")) return unchanged;
    const alternatives = term.split("|");
    if (alternatives.length > 1) return this.#union(alternatives);
    const item = itemOf(term);
    if (item !== undefined) return this.#list(item);
    if (term.startsWith("{")) return this.#map(term.slice(1, -1));
    if (term === "openList") return (value, path, findings) => (isEmptyObject(value) ? emptyList(path, findings) : value);
    if (term === "object" || term === "open") return (value, path, findings) => (isEmptyList(value) ? emptyObject(path, findings) : value);
    return this.type(term);
  }

  type(name: string): Mend {
    let mend = this.#named.get(name);
    if (!mend) {
      const entry = this.#typeOf(name);
      const byShape = entry === undefined ? unchanged : this.entry(entry, this.#othersOf(name));
      const special = MENDED_TYPES[name];
      const check = special && this.#checks.type(name);
      mend = byShape;
      if (special && check) {
        mend = (value, path, findings) => byShape(check(value) === undefined ? value : special(value, path, findings), path, findings);
      }
      this.#named.set(name, mend);
    }
    return mend;
  }

  #object(members: readonly ShapeMember[], foreign: readonly ShapeMember[]): Mend {
    const required = members.filter((member) => member.required);
    const parts = new Map(members.map((member) => [member.name, { ...member, mend: late(() => this.#term(member.term)) }]));
    const elsewhere = new Set(foreign.map(({ name }) => name).filter((name) => !parts.has(name)));
    return (given, path, findings) => {
      if (isEmptyList(given)) return emptyObject(path, findings);
      if (!isJsonObject(given)) return given;
      const value = withoutNulls(given, required, path, findings);
      let copy = value === given ? undefined : value;
      for (const name of Object.keys(value)) {
        const [part, before, place] = [parts.get(name), value[name], `${path}.${name}`];
        if (before === null && (part === undefined ? elsewhere.has(name) : !part.required && !this.#fits(part.term, null))) {
          // A member that only other revisions have may be anything in this one.
          if (part !== undefined) findings.add("null", place, "is null");
          delete (copy ??= { ...value })[name];
        } else if (part !== undefined) {
          const after = part.mend(before, place, findings);
          if (EXTRA.has(name) && this.#isUnneeded(part, after, value)) {
            findings.leaveOut(place, name, `${place} cannot be read`);
            delete (copy ??= { ...value })[name];
          } else if (after !== before) (copy ??= { ...value })[name] = after;
        }
      }
      return copy ?? given;
    };
  }

  /** Whether a member cannot be read, and its object is of use without it. */
  #isUnneeded({ name, term, required }: ShapeMember, after: unknown, { content }: JsonObject): boolean {
    const isSaid = name !== "structuredContent" || (Array.isArray(content) && content.length > 0);
    return !required && isSaid && !this.#fits(term, after);
  }

  #fits(term: string, value: unknown): boolean {
    return this.#checks.term(term)(value) === undefined;
  }

  #list(item: string): Mend {
    const mend = late(() => this.#term(item));
    return (value, path, findings) => {
      if (isEmptyObject(value)) return emptyList(path, findings);
      if (!Array.isArray(value)) return this.#single(item, value, path, findings);
      const mended = value.map((entry, index) => mend(entry, `${path}[${index}]`, findings));
      // An icon is never worth a message.
      const leavesOut = item === "Icon" || (findings.leavesOut && ENTRIES.has(item));
      const usable = leavesOut ? this.#usable(item, mended, path, findings) : mended;
      return usable.length === value.length && usable.every((entry, index) => entry === value[index]) ? value : usable;
    };
  }

  /** One item where a list of what it says belongs. */
  #single(item: string, value: unknown, path: string, findings: Findings): unknown {
    if (!findings.leavesOut || !SAYS_SOMETHING.has(item)) return value;
    const one = this.#term(item)(value, path, findings);
    if (!this.#fits(item, one)) return value;
    if (isJsonObject(value)) findings.add("single", path, "is not a list");
    return [one];
  }

  #usable(item: string, entries: readonly unknown[], path: string, findings: Findings): readonly unknown[] {
    const check = this.#checks.term(item);
    const problems = entries.map((entry) => check(entry));
    if (SAYS_SOMETHING.has(item) && problems.every((problem) => problem !== undefined)) return entries;
    for (const [index, problem] of problems.entries()) {
      const place = `${path}[${index}]`;
      if (problem !== undefined) findings.leaveOut(place, nameOf(entries[index]), `${place}${problem}`);
    }
    return entries.filter((_entry, index) => problems[index] === undefined);
  }

  #map(item: string): Mend {
    const mend = late(() => this.#term(item));
    return (value, path, findings) => {
      if (isEmptyList(value)) return emptyObject(path, findings);
      if (!isJsonObject(value)) return value;
      const members = Object.entries(value).flatMap(([key, before]) => {
        const place = memberPath(path, key);
        if (before !== null || ASKED.has(item) || this.#fits(item, null)) return [[key, mend(before, place, findings)]];
        findings.add("null", place, "is null");
        return [];
      });
      return Object.fromEntries(members) as JsonObject; // its own members, mended
    };
  }

  /** The first alternative that fits once it is mended. */
  #union(alternatives: readonly string[]): Mend {
    return (value, path, findings) => {
      for (const name of alternatives) {
        const before = findings.deviations.length;
        const mended = this.#term(name)(value, path, findings);
        if (this.#fits(name, mended)) return mended;
        findings.deviations.length = before;
      }
      return value;
    };
  }
}

/** A mend that is compiled when it is first needed, because types may contain each other. */
function late(compile: () => Mend): Mend {
  let mend: Mend | undefined;
  return (value, path, findings) => (mend ??= compile())(value, path, findings);
}

function unchanged(value: unknown): unknown {
  return value;
}

function nameOf(entry: unknown): string | undefined {
  const name = isJsonObject(entry) ? (entry["name"] ?? entry["uri"] ?? entry["uriTemplate"]) : undefined;
  return typeof name === "string" ? name : undefined;
}
