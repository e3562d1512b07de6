/**
 * A notation for the shapes of messages, and the checks compiled from it.
 *
 * A revision is three dictionaries in this notation (see `v….ts`). An entry lists the members of an object, or
 * is another name for the term after its `=`:
 *
 *   "name title? size?:integer tools:Tool[] type:'text'"      "= TextContent|ImageContent"
 *
 * A member is a string unless a term says otherwise. Terms: `integer`, `any` and the like, a name of the dictionary,
 * `Tool[]`, `Tool[100]` for at most 100, `{Tool}` for an object used as a map, `'text'` for that very string, `a|b`.
 * A value may have members that are not listed; they are not checked. A check allocates nothing if the value fits;
 * otherwise it says where and why it does not.
 */
import { isJsonObject } from "../jsonrpc/message.ts";
import { isEmptyList, isEmptyObject } from "./empty.ts";

/** Returns undefined if the value fits, else what is wrong, beginning with the path: `.content[0].text is not a string`. */
export type ShapeCheck = (value: unknown) => string | undefined;
export type Dictionary = Readonly<Record<string, string>>;

/**
 * Merges an entry with what the next revision changed: members are added or replaced, `-name` removes one; an alias replaces the
 * whole entry.
 */
export function extendEntry(before: string | undefined, change: string | undefined): string | undefined {
  if (before === undefined || change === undefined || isAlias(before) || isAlias(change)) return change ?? before;
  return `${before} ${change}`;
}

function isAlias(entry: string): boolean {
  return entry.startsWith("=");
}

/** The term that an entry is an alias for; undefined if the entry lists members. */
export function aliasOf(entry: string): string | undefined {
  return isAlias(entry) ? entry.slice(2) : undefined;
}

/** The term of the items, if the term is a list. */
export function itemOf(term: string): string | undefined {
  return term.endsWith("]") ? term.slice(0, term.indexOf("[")) : undefined;
}

export interface ShapeMember {
  readonly name: string;
  readonly required: boolean;
  readonly term: string;
}

/** Members by their entry: to compile one message, most entries are read several times. As many as the revisions have. */
const known = new Map<string, readonly ShapeMember[]>();

/** The members that an entry lists: the last mention of a member decides its term, the first its place. */
export function membersOf(entry: string): readonly ShapeMember[] {
  let members = known.get(entry);
  if (members === undefined) known.set(entry, (members = readMembers(entry)));
  return members;
}

/** The names have been keys of an object, because V8 compares a name that was cut out of a text letter by letter. */
function readMembers(entry: string): ShapeMember[] {
  const members: Record<string, Omit<ShapeMember, "name">> = {};
  for (const [, removed, name = "", optional, term = "string"] of entry.matchAll(MEMBER)) {
    if (removed) delete members[name];
    else members[name] = { required: !optional, term };
  }
  return Object.entries(members).map(([name, member]) => ({ name, ...member }));
}

/** A minus, a name, a question mark, and a term after a colon. */
const MEMBER = /(-)?([^ ?:]+)(\?)?(?::(\S+))?/g;

function basic(fits: (value: unknown) => boolean, what: string): ShapeCheck {
  const problem = ` is not ${what}`;
  return (value) => (fits(value) ? undefined : problem);
}

const basics: Readonly<Record<string, ShapeCheck>> = {
  any: () => undefined,
  // Anything, in the place of an object or of a list, but what an absent or an empty one must not be.
  open: basic((value) => value !== null && !isEmptyList(value), "a value"),
  openList: basic((value) => value !== null && !isEmptyObject(value), "a value"),
  string: basic((value) => typeof value === "string", "a string"),
  boolean: basic((value) => typeof value === "boolean", "a boolean"),
  number: basic((value) => typeof value === "number", "a number"),
  integer: basic(Number.isInteger, "an integer"),
  fraction: basic((value) => typeof value === "number" && value >= 0 && value <= 1, "a number from 0 to 1"),
  null: basic((value) => value === null, "null"),
  object: basic(isJsonObject, "an object"),
};

/** Compiles the terms of one revision; each name is compiled once, when it is first needed. */
export class ShapeChecks {
  readonly #typeOf: (name: string) => string | undefined;
  readonly #othersOf: (name: string) => readonly string[];
  readonly #named = new Map<string, ShapeCheck>();

  /** `typeOf` finds the entry of a type by its name, `othersOf` the entries of other revisions. */
  constructor(typeOf: (name: string) => string | undefined, othersOf: (name: string) => readonly string[] = () => []) {
    this.#typeOf = typeOf;
    this.#othersOf = othersOf;
  }

  /** The check of an entry of a dictionary. A member that only `others` have must not be null, so that no caller meets it. */
  entry(entry: string, others: readonly string[] = []): ShapeCheck {
    const alias = aliasOf(entry);
    return alias === undefined ? this.#object(membersOf(entry), others.flatMap(membersOf)) : this.term(alias);
  }

  term(term: string): ShapeCheck {
    const alternatives = term.split("|");
    if (term.startsWith("'")) return oneOf(alternatives.map((literal) => literal.slice(1, -1)));
    if (alternatives.length > 1) return this.#anyOf(alternatives);
    const item = itemOf(term);
    if (item !== undefined) return listOf(this.term(item), Number(term.slice(item.length + 1, -1)) || Infinity);
    if (term.startsWith("{")) return mapOf(this.term(term.slice(1, -1)));
    return basics[term] ?? this.type(term);
  }

  /** The check of a type by name; compiled once. @throws TypeError for a name the dictionary does not have */
  type(name: string): ShapeCheck {
    let check = this.#named.get(name);
    if (!check) {
      const entry = this.#typeOf(name);
      if (entry === undefined) throw new TypeError(`There is no shape with the name "${name}"`);
      this.#named.set(name, (check = this.entry(entry, this.#othersOf(name))));
    }
    return check;
  }

  /** Looks up only the members that the value has: most possible members are absent. */
  #object(members: readonly ShapeMember[], foreign: readonly ShapeMember[]): ShapeCheck {
    const parts = new Map([
      ...foreign.map(({ name }): [string, Part] => [name, FOREIGN]),
      ...members.map(({ name, required, term }): [string, Part] => [name, { required, check: this.term(term) }]),
    ]);
    const required = members.filter((member) => member.required).map(({ name }) => name);
    return (value) => {
      if (!isJsonObject(value)) return " is not an object";
      let missing = required.length;
      for (const name in value) {
        const part = parts.get(name);
        const member = value[name];
        if (!part || member === undefined) continue;
        const problem = part.check(member);
        if (problem !== undefined) return `.${name}${problem}`;
        if (part.required) missing--;
      }
      if (missing === 0) return undefined;
      return `.${required.find((name) => !Object.hasOwn(value, name) || value[name] === undefined)} is missing`;
    };
  }

  #anyOf(names: readonly string[]): ShapeCheck {
    const checks = names.map((name) => this.term(name));
    return (value) => {
      for (const check of checks) if (check(value) === undefined) return undefined;
      return this.#problemOf(names, value);
    };
  }

  /** What is wrong with a value that fits no alternative: if its first required member tells which one is meant, only what that one says. */
  #problemOf(names: readonly string[], value: unknown): string {
    const meant = names.filter((name) => this.#isMeant(name, value));
    const one = meant.length === 1 ? this.term(meant[0]!)(value) : undefined;
    if (one !== undefined) return one;
    const tag = meant.length === 0 ? this.#tagOf(names) : undefined;
    if (tag !== undefined) {
      if (!isJsonObject(value)) return basics["object"]!(value)!;
      const { [tag.name]: member } = value;
      return `.${tag.name}${member === undefined ? " is missing" : this.term(tag.term)(member)}`;
    }
    const possible = meant.length > 0 ? meant : names;
    return ` fits none of its forms (${possible.map((name) => `it${this.term(name)(value)}`).join("; ")})`;
  }

  /** The member that tells all alternatives apart, with all of its values; undefined if there is none. */
  #tagOf(names: readonly string[]): ShapeMember | undefined {
    const tags = names.map((name) => this.#firstOf(name));
    const [first] = tags;
    if (first === undefined || !tags.every((tag) => tag?.name === first.name && tag.term.startsWith("'"))) return undefined;
    return { ...first, term: [...new Set(tags.map((tag) => tag!.term))].join("|") };
  }

  /** Whether a value has what distinguishes an alternative: a list, or the first member that an object must have. */
  #isMeant(name: string, value: unknown): boolean {
    if (itemOf(name) !== undefined) return Array.isArray(value);
    if (name in basics) return true;
    const first = this.#firstOf(name);
    if (first === undefined || !isJsonObject(value)) return isJsonObject(value);
    const { [first.name]: member } = value;
    return member !== undefined && (!first.term.startsWith("'") || this.term(first.term)(member) === undefined);
  }

  /** The first member that objects of a type must have; undefined if there is none, or the type is an alias. */
  #firstOf(name: string): ShapeMember | undefined {
    const entry = this.#typeOf(name);
    return entry === undefined || aliasOf(entry) !== undefined ? undefined : membersOf(entry).find(({ required }) => required);
  }
}

interface Part {
  readonly required: boolean;
  readonly check: ShapeCheck;
}

const FOREIGN: Part = { required: false, check: (value) => (value === null ? " is null" : undefined) };

function oneOf(literals: readonly string[]): ShapeCheck {
  const problem = ` is not "${literals.join('" or "')}"`;
  return (value) => ((literals as readonly unknown[]).includes(value) ? undefined : problem);
}

function listOf(check: ShapeCheck, most: number): ShapeCheck {
  return (value) => {
    if (!Array.isArray(value)) return " is not a list";
    if (value.length > most) return ` has more than ${most} items`;
    for (let index = 0; index < value.length; index++) {
      const problem = check(value[index]);
      if (problem !== undefined) return `[${index}]${problem}`;
    }
    return undefined;
  };
}

/** How much of a peer's key an explanation quotes, in UTF-16 code units. */
const MAX_QUOTED_KEY = 64;

function mapOf(check: ShapeCheck): ShapeCheck {
  return (value) => {
    if (!isJsonObject(value)) return " is not an object";
    for (const key of Object.keys(value)) {
      const problem = check(value[key]);
      if (problem !== undefined) return `[${JSON.stringify(key.slice(0, MAX_QUOTED_KEY))}]${problem}`;
    }
    return undefined;
  };
}
