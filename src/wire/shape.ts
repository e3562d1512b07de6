/**
 * A notation for the shapes of messages, and the checks compiled from it.
 *
 * A revision is three dictionaries in this notation (see `v…/shapes.ts`). A term is a name or an object of members:
 *
 *   "string"  "Tool"  "Tool[]"  "{string}" (an object used as a map)  "'text'" (that very string)  "string|integer"
 *   { name: "string", "title?": "string" }     members not mentioned may be there and are not looked at
 *
 * A check allocates nothing while the value fits; where it does not, it says where and why.
 */
import { isJsonObject } from "../jsonrpc/message.ts";

/** Undefined where the value fits, else what is wrong, beginning with the path: `.content[0].text is not a string`. */
export type Check = (value: unknown) => string | undefined;
export type Term = string | Members;
export interface Members {
  readonly [member: string]: Term;
}
export type Dictionary = Readonly<Record<string, Term>>;

/** Changes to a dictionary: members are merged into what is there, `null` takes one away, anything else replaces. */
export type Changes = Readonly<Record<string, string | Readonly<Record<string, Term | null>>>>;

/** The previous revision with what the next one changed. Names that did not change keep their identity. */
export function extend(previous: Dictionary, changes: Changes): Dictionary {
  const next: Record<string, Term> = { ...previous };
  for (const [name, change] of Object.entries(changes)) {
    const before = previous[name];
    const merged = typeof change === "string" ? change : { ...(typeof before === "object" ? before : undefined), ...change };
    next[name] = typeof merged === "string" ? merged : Object.fromEntries(Object.entries(merged).filter(isKept));
  }
  return next;
}

function isKept(entry: [string, Term | null]): entry is [string, Term] {
  return entry[1] !== null;
}

/** One member of an object term. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly term: Term;
}

export function membersOf(members: Members): Member[] {
  return Object.entries(members).map(([key, term]) => {
    const required = !key.endsWith("?");
    return { name: required ? key : key.slice(0, -1), required, term };
  });
}

function basic(fits: (value: unknown) => boolean, what: string): Check {
  const problem = ` is not ${what}`;
  return (value) => (fits(value) ? undefined : problem);
}

function isBetween(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

const basics: Readonly<Record<string, Check>> = {
  any: () => undefined,
  string: basic((value) => typeof value === "string", "a string"),
  boolean: basic((value) => typeof value === "boolean", "a boolean"),
  number: basic((value) => typeof value === "number", "a number"),
  integer: basic(Number.isInteger, "an integer"),
  /** From 0 to 1. */
  fraction: basic((value) => isBetween(value, 0, 1), "a number from 0 to 1"),
  null: basic((value) => value === null, "null"),
  object: basic(isJsonObject, "an object"),
  /** The number of completions that may be sent at once. */
  hundredStrings: basic((value) => Array.isArray(value) && value.length <= 100 && value.every((item) => typeof item === "string"), "a list of at most 100 strings"),
};

/** Compiles terms of one revision; each name is compiled once, when it is first needed. */
export class Checks {
  readonly #types: Dictionary;
  readonly #named = new Map<string, Check>();

  constructor(types: Dictionary) {
    this.#types = types;
  }

  compile(term: Term): Check {
    if (typeof term === "object") return this.#object(term);
    const alternatives = term.split("|");
    if (term.startsWith("'")) return oneOf(alternatives.map((literal) => literal.slice(1, -1)));
    if (alternatives.length > 1) return anyOf(alternatives.map((name) => this.compile(name)));
    if (term.endsWith("[]")) return arrayOf(this.compile(term.slice(0, -2)));
    if (term.startsWith("{")) return mapOf(this.compile(term.slice(1, -1)));
    return basics[term] ?? this.#name(term);
  }

  #name(name: string): Check {
    let check = this.#named.get(name);
    if (!check) {
      const term = this.#types[name];
      if (term === undefined) throw new TypeError(`No shape is called "${name}"`);
      this.#named.set(name, (check = this.compile(term)));
    }
    return check;
  }

  #object(members: Members): Check {
    const parts = membersOf(members).map((member) => ({ ...member, check: this.compile(member.term) }));
    return (value) => {
      if (!isJsonObject(value)) return " is not an object";
      for (const { name, required, check } of parts) {
        const member = value[name];
        if (member === undefined) {
          if (required) return `.${name} is missing`;
          continue;
        }
        const problem = check(member);
        if (problem !== undefined) return `.${name}${problem}`;
      }
      return undefined;
    };
  }
}

function oneOf(literals: readonly string[]): Check {
  const only = literals.length === 1 ? literals[0] : undefined;
  const problem = ` is not ${literals.map((literal) => JSON.stringify(literal)).join(" or ")}`;
  if (only !== undefined) return (value) => (value === only ? undefined : problem);
  return (value) => ((literals as readonly unknown[]).includes(value) ? undefined : problem);
}

function anyOf(checks: readonly Check[]): Check {
  return (value) => {
    for (const check of checks) if (check(value) === undefined) return undefined;
    return ` fits none of its forms (${checks.map((check) => `it${check(value)}`).join("; ")})`;
  };
}

function arrayOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return " is not a list";
    for (let index = 0; index < value.length; index++) {
      const problem = check(value[index]);
      if (problem !== undefined) return `[${index}]${problem}`;
    }
    return undefined;
  };
}

function mapOf(check: Check): Check {
  return (value) => {
    if (!isJsonObject(value)) return " is not an object";
    for (const key of Object.keys(value)) {
      const problem = check(value[key]);
      if (problem !== undefined) return `[${JSON.stringify(key)}]${problem}`;
    }
    return undefined;
  };
}
