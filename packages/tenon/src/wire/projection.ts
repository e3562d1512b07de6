/**
 * Removes what a revision does not have: functions compiled from the shapes of one revision and of all.
 *
 * A member is removed if some other revision has it in that place and this one does not; members that no revision defines are kept.
 * An optional member whose value only another revision allows is removed too. Values that need more than that are replaced by the
 * nearest ones (`rewrites.ts`). Nothing else is checked here, nothing is changed in place, and if a revision has everything there
 * is no function at all.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { isStatelessVersion } from "../protocol/versions.ts";
import { entryOf, type MessageKind, type Revision, type ShapeKind } from "./revision.ts";
import { rewrites } from "./rewrites.ts";
import { aliasOf, itemOf, membersOf, type ShapeCheck, type ShapeChecks } from "./shape.ts";

/** Returns its argument if there is nothing to remove. */
export type Projection = (value: unknown) => unknown;

/** Members that no result of a stateful revision may carry, whatever its method. */
const STATELESS_ONLY = ["resultType", "ttlMs", "cacheScope"];

/** What happens to one member. */
interface Change {
  readonly name: string;
  readonly project?: Projection | undefined;
  /** Set if only other revisions may allow the value: a member that does not fit is removed. */
  readonly fits: ShapeCheck | undefined;
}

/** Compiles the projections of one revision; each name is compiled once, when it is first needed. */
export class Projections {
  readonly #revision: Revision;
  readonly #all: readonly Revision[];
  readonly #checks: ShapeChecks;
  readonly #named = new Map<string, Projection | undefined>();

  /** `all` are the revisions whose members must be removed; two that together have every name are enough. */
  constructor(revision: Revision, all: readonly Revision[], checks: ShapeChecks) {
    this.#revision = revision;
    this.#all = all;
    this.#checks = checks;
  }

  /** The projection for params or results of a method of this revision; undefined if there is nothing to remove. */
  message(kind: MessageKind, method: string): Projection | undefined {
    const never = kind === "results" && !isStatelessVersion(this.#revision.version) ? STATELESS_ONLY : [];
    const entry = entryOf(this.#revision, kind, method)!; // every method has its shapes
    return chain(changing(omitting(never)), this.#entry(entry, this.#others(kind, method)));
  }

  /** The projection for a type by name; undefined if this revision has no such type, or there is nothing to remove. */
  type(name: string): Projection | undefined {
    if (!this.#named.has(name)) {
      const entry = entryOf(this.#revision, "types", name);
      this.#named.set(
        name,
        entry === undefined ? undefined : chain(this.#rewrite(name, entry), this.#entry(entry, this.#others("types", name))),
      );
    }
    return this.#named.get(name);
  }

  #rewrite(name: string, entry: string): Projection | undefined {
    const known = rewrites[name];
    if (!known || this.#revision.version > known.until) return undefined;
    const kinds = (aliasOf(entry) ?? name).split("|").map((kind) => this.#recognise(kind));
    return (value) => known.rewrite(value, (of) => kinds.some((recognises) => recognises(of)));
  }

  #others(kind: ShapeKind, name: string): string[] {
    return this.#all.flatMap((revision) => entryOf(revision, kind, name) ?? []);
  }

  #entry(entry: string, others: readonly string[]): Projection | undefined {
    const alias = aliasOf(entry);
    return alias === undefined ? this.#members(entry, others) : this.#term(alias, []);
  }

  /** `terms` are the terms of other revisions in that place. */
  #term(term: string, terms: readonly string[]): Projection | undefined {
    if (term.startsWith("'")) return undefined;
    const alternatives = term.split("|");
    if (alternatives.length > 1) return this.#union(alternatives);
    const item = itemOf(term);
    if (item !== undefined) return eachItem(this.#term(item, []));
    if (term.startsWith("{")) return eachMember(this.#term(term.slice(1, -1), []));
    if (term === "object")
      return this.#members(
        "",
        terms.flatMap((name) => this.#others("types", name)),
      );
    return this.type(term);
  }

  #members(entry: string, others: readonly string[]): Projection | undefined {
    const known = new Map<string, string[]>();
    for (const { name, term } of others.flatMap(membersOf)) known.set(name, [...(known.get(name) ?? []), term]);
    const changes: Change[] = [];
    for (const { name, required, term } of membersOf(entry)) {
      const terms = known.get(name) ?? [];
      const project = this.#term(term, terms);
      const fits = !required && term !== "any" && terms.some((other) => other !== term) ? this.#checks.term(term) : undefined;
      if (project || fits) changes.push({ name, project, fits });
      known.delete(name);
    }
    return changing([...omitting([...known.keys()]), ...changes]);
  }

  #union(alternatives: readonly string[]): Projection | undefined {
    const cases = alternatives.map((name) => ({ recognises: this.#recognise(name), project: this.#term(name, []) }));
    if (!cases.some((one) => one.project)) return undefined;
    return (value) => {
      for (const { recognises, project } of cases) if (recognises(value)) return project ? project(value) : value;
      return value;
    };
  }

  /** Recognises one alternative of a union by its first member: a tag, or a member that the others do not have. */
  #recognise(name: string): (value: unknown) => boolean {
    if (itemOf(name) !== undefined) return Array.isArray;
    const entry = entryOf(this.#revision, "types", name);
    const first = entry === undefined || aliasOf(entry) !== undefined ? undefined : membersOf(entry)[0];
    if (!first?.required) return () => true;
    const fits = first.term.startsWith("'") ? this.#checks.term(first.term) : undefined;
    return (value) => isJsonObject(value) && value[first.name] !== undefined && fits?.(value[first.name]) === undefined;
  }
}

function chain(first: Projection | undefined, second: Projection | undefined): Projection | undefined {
  if (!first || !second) return first ?? second;
  return (value) => second(first(value));
}

/** Members of other revisions: no value of them fits. */
function omitting(names: readonly string[]): Change[] {
  return names.map((name) => ({ name, fits: () => " is not of this revision" }));
}

function changing(changes: readonly Change[]): Projection | undefined {
  if (changes.length === 0) return undefined;
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
