/**
 * Leaving out what a revision does not have: the functions compiled from the shapes of one revision and of all.
 *
 * A member is left out when some other revision has it under that name and this one does not; members no revision
 * knows are passed on. An optional member whose value only another revision allows is left out too. Values that need
 * more than that are turned into what comes closest (`rewrites.ts`). Nothing is checked here, nothing is changed in
 * place, and where a revision has everything there is no function at all.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { rewrites } from "./rewrites.ts";
import type { Revision } from "./revision.ts";
import { Checks, membersOf, type Check, type Dictionary, type Members, type Term } from "./shape.ts";

/** Returns its argument where nothing has to be left out. */
export type Projection = (value: unknown) => unknown;

/** What happens to one member that this revision has. */
interface Change {
  readonly name: string;
  readonly project: Projection | undefined;
  /** Set where the value may be one that only other revisions allow. */
  readonly fits: Check | undefined;
}

/** The names and terms any revision gives the members of one object. */
type KnownMembers = ReadonlyMap<string, ReadonlySet<Term>>;

/** Compiles the projections of one revision; each name is compiled once, when it is first needed. */
export class Projections {
  readonly #revision: Revision;
  readonly #all: readonly Revision[];
  readonly #checks: Checks;
  readonly #named = new Map<string, Projection | undefined>();

  /** `all` are the revisions whose members must not leak; two that hold every name between them are enough. */
  constructor(revision: Revision, all: readonly Revision[], checks: Checks) {
    this.#revision = revision;
    this.#all = all;
    this.#checks = checks;
  }

  /** The projection for params or results of `method`; `never` are members such a message has on no account. */
  message(kind: "params" | "results", method: string, never: readonly string[] = []): Projection | undefined {
    const term = this.#revision[kind][method];
    if (term === undefined) return undefined;
    const project = typeof term === "string" ? this.#term(term, []) : this.#members(term, this.#others(kind, method));
    return never.length === 0 ? project : chain(omitting(never), project);
  }

  /** The projection for a type by name. */
  type(name: string): Projection | undefined {
    if (!this.#named.has(name)) {
      const term = this.#revision.types[name];
      const project = term === undefined ? undefined : this.#term(term, this.#others("types", name));
      this.#named.set(name, chain(this.#rewrite(name), project));
    }
    return this.#named.get(name);
  }

  #rewrite(name: string): Projection | undefined {
    const entry = rewrites[name];
    if (!entry || this.#revision.version > entry.until) return undefined;
    const fits = this.#checks.compile(name);
    return (value) => entry.rewrite(value, fits);
  }

  #others(kind: "types" | "params" | "results", name: string): Term[] {
    return this.#all.map((revision): Dictionary => revision[kind]).flatMap((dictionary) => dictionary[name] ?? []);
  }

  /** `others` are the terms other revisions have in that place. */
  #term(term: Term, others: readonly Term[]): Projection | undefined {
    if (typeof term === "object") return this.#members(term, others);
    if (term.startsWith("'")) return undefined;
    const alternatives = term.split("|");
    if (alternatives.length > 1) return this.#union(alternatives);
    if (term.endsWith("[]")) return eachItem(this.#term(term.slice(0, -2), []));
    if (term.startsWith("{")) return eachMember(this.#term(term.slice(1, -1), []));
    if (term === "object") return this.#members({}, others);
    return this.type(term);
  }

  #members(members: Members, others: readonly Term[]): Projection | undefined {
    const known = knownMembers(others.flatMap((term) => (typeof term === "string" ? this.#others("types", term) : term)));
    const own = membersOf(members);
    const foreign = [...known.keys()].filter((name) => !own.some((member) => member.name === name));
    const changes: Change[] = [];
    for (const { name, required, term } of own) {
      const terms = [...(known.get(name) ?? [])];
      const project = this.#term(term, terms);
      const fits = !required && term !== "any" && terms.some((other) => typeof other === "string" && other !== term);
      if (project || fits) changes.push({ name, project, fits: fits ? this.#checks.compile(term) : undefined });
    }
    return chain(foreign.length > 0 ? omitting(foreign) : undefined, changes.length > 0 ? changing(changes) : undefined);
  }

  #union(alternatives: readonly string[]): Projection | undefined {
    const cases = alternatives.map((name) => ({ recognises: this.#recognise(name), project: this.#term(name, []) }));
    if (!cases.some((one) => one.project)) return undefined;
    return (value) => {
      for (const { recognises, project } of cases) if (recognises(value)) return project ? project(value) : value;
      return value;
    };
  }

  /** Tells the alternatives of a union apart by the first member of each: a tag, or one the others do not have. */
  #recognise(name: string): (value: unknown) => boolean {
    if (name.endsWith("[]")) return Array.isArray;
    const term = this.#revision.types[name];
    const first = typeof term === "object" ? membersOf(term)[0] : undefined;
    if (!first?.required) return () => true;
    const fits = typeof first.term === "string" && first.term.startsWith("'") ? this.#checks.compile(first.term) : undefined;
    return (value) => isJsonObject(value) && value[first.name] !== undefined && fits?.(value[first.name]) === undefined;
  }
}

function knownMembers(terms: readonly Term[]): KnownMembers {
  const known = new Map<string, Set<Term>>();
  for (const term of terms) {
    if (typeof term !== "object") continue;
    for (const member of membersOf(term)) known.set(member.name, (known.get(member.name) ?? new Set()).add(member.term));
  }
  return known;
}

function chain(first: Projection | undefined, second: Projection | undefined): Projection | undefined {
  if (!first || !second) return first ?? second;
  return (value) => second(first(value));
}

function omitting(names: readonly string[]): Projection {
  return (value) => {
    if (!isJsonObject(value)) return value;
    let copy: JsonObject | undefined;
    for (const name of names) if (value[name] !== undefined) delete (copy ??= { ...value })[name];
    return copy ?? value;
  };
}

function changing(changes: readonly Change[]): Projection {
  return (value) => {
    if (!isJsonObject(value)) return value;
    let copy: JsonObject | undefined;
    for (const { name, project, fits } of changes) {
      const before = value[name];
      if (before === undefined) continue;
      const after = project ? project(before) : before;
      if (fits?.(after) !== undefined) delete (copy ??= { ...value })[name];
      else if (after !== before) (copy ??= { ...value })[name] = after;
    }
    return copy ?? value;
  };
}

function eachItem(project: Projection | undefined): Projection | undefined {
  if (!project) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const after = project(value[index]);
      if (after !== value[index]) (copy ??= value.slice())[index] = after;
    }
    return copy ?? value;
  };
}

function eachMember(project: Projection | undefined): Projection | undefined {
  if (!project) return undefined;
  return (value) => {
    if (!isJsonObject(value)) return value;
    let copy: JsonObject | undefined;
    for (const key of Object.keys(value)) {
      const after = project(value[key]);
      // The copy owns every key already, so that "__proto__" is set as any other.
      if (after !== value[key]) (copy ??= { ...value })[key] = after;
    }
    return copy ?? value;
  };
}
