/**
 * All that is wrong with a value that does not fit its schema: an author or a model mends it at once.
 *
 * A check stops at the first fault. This looks at the members and items of the value too, as far as all of them must fit: not into
 * `anyOf`, `not` and the like, where a fault need not be one. It runs only after a check has failed, and takes at most as many steps again.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import type { Node, Site } from "./keyword.ts";
import { hasMember, missing } from "./object-keywords.ts";
import type { Run } from "./run.ts";
import type { SchemaIssue } from "./standard-schema.ts";

/** Most faults that are reported, and how deep they are looked for. */
const MAX_FAULTS = 8;
const MAX_DEPTH = 8;

type Path = readonly PropertyKey[];

/** @param run has just failed for this value */
export function faultsOf(root: Node, value: unknown, run: Run): readonly SchemaIssue[] {
  const search = new Search(run);
  run.reset();
  try {
    search.look(root, value, [], 0);
  } catch (error) {
    if (!(error instanceof LimitExceededError)) throw error; // what was found is enough
  }
  return search.found;
}

class Search {
  readonly found: SchemaIssue[];
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
    this.found = [run.issue()];
  }

  look({ site }: Node, value: unknown, path: Path, depth: number): void {
    if (site === undefined || depth > MAX_DEPTH) return;
    const { schema } = site;
    if (typeof schema["$ref"] === "string") {
      this.look(site.target("$ref"), value, path, depth + 1);
      if (site.dialect <= 7) return; // which hides what stands beside it
    }
    if (Array.isArray(value)) this.#lookAtItems(site, value, path, depth);
    if (!isJsonObject(value)) return;
    for (const message of memberFaults(schema, value)) this.#add({ message, path });
    if (!isJsonObject(schema["properties"])) return;
    for (const [name, member] of Object.entries(schema["properties"]))
      if (hasMember(value, name)) this.#check(site.child(member, "properties"), value[name], [...path, name], depth);
  }

  #lookAtItems(site: Site, value: readonly unknown[], path: Path, depth: number): void {
    const { items } = site.schema;
    if (!isJsonObject(items) || site.schema["prefixItems"] !== undefined) return;
    const node = site.child(items, "items");
    for (const [index, item] of value.entries()) {
      if (this.found.length >= MAX_FAULTS) return;
      this.#check(node, item, [...path, index], depth);
    }
  }

  #check(node: Node, value: unknown, path: Path, depth: number): void {
    if (this.found.length >= MAX_FAULTS || node.check(value, this.#run)) return;
    const { message, path: inside = [] } = this.#run.issue();
    this.#add({ message, path: [...path, ...inside] });
    this.look(node, value, path, depth + 1);
  }

  #add(issue: SchemaIssue): void {
    const isKnown = this.found.some((known) => known.message === issue.message && isSamePath(known.path, issue.path));
    if (!isKnown && this.found.length < MAX_FAULTS) this.found.push(issue);
  }
}

function isSamePath(one: SchemaIssue["path"] = [], other: SchemaIssue["path"] = []): boolean {
  return one.length === other.length && one.every((key, at) => key === other[at]);
}

/** What is missing in an object, and the first member that it must not have. */
function memberFaults({ required, properties = {}, patternProperties, additionalProperties }: JsonObject, value: JsonObject): string[] {
  const names = Array.isArray(required) ? (required as string[]) : []; // it was compiled
  const at = names.findIndex((name) => !hasMember(value, name));
  const isClosed = additionalProperties === false && patternProperties === undefined && isJsonObject(properties);
  const other = isClosed ? Object.keys(value).find((name) => value[name] !== undefined && !Object.hasOwn(properties, name)) : undefined;
  return [
    ...(at < 0 ? [] : [missing(value, names, at)]),
    ...(other === undefined ? [] : [`must not have a property ${JSON.stringify(other)}`]),
  ];
}
