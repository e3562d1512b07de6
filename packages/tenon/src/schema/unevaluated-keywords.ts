/**
 * `unevaluatedProperties` and `unevaluatedItems`: the members that no other keyword for the value has evaluated.
 *
 * Which members those are depends on the branches that matched, so a second pass over the value finds them. Only schemas with these
 * keywords pay for it.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { testPattern, type Keyword, type KeywordEntry, type Node, type Site } from "./keyword.ts";
import { hasMember, toPatterns } from "./object-keywords.ts";
import type { Run } from "./run.ts";

class Evaluated {
  readonly #keys = new Set<PropertyKey>();
  #all = false;

  add(key: PropertyKey): void {
    this.#keys.add(key);
  }

  addAll(): void {
    this.#all = true;
  }

  has(key: PropertyKey): boolean {
    return this.#all || this.#keys.has(key);
  }
}

const unevaluatedProperties: Keyword = (argument, site) => {
  const node = site.child(argument, "unevaluatedProperties");
  return (value, run) => {
    if (!isJsonObject(value)) return true;
    const evaluated = new Evaluated();
    collect(site, value, run, evaluated, "unevaluatedProperties");
    for (const key in value) {
      if (value[key] === undefined || evaluated.has(key)) continue;
      if (argument === false) return run.fail(`must not have a property "${key}"`);
      if (!node.check(value[key], run)) return run.within(key);
    }
    return true;
  };
};

const unevaluatedItems: Keyword = (argument, site) => {
  const node = site.child(argument, "unevaluatedItems");
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    const evaluated = new Evaluated();
    collect(site, value, run, evaluated, "unevaluatedItems");
    for (let i = 0; i < value.length; i++) {
      if (!evaluated.has(i) && !node.check(value[i], run)) return run.within(i);
    }
    return true;
  };
};

/** Steps for collecting from one schema: it makes lists, where a check makes nothing. */
const COLLECTING = 8;

/** Adds what the schema at `site`, which the value fits, has evaluated; `except` is the keyword that asks. */
function collect(site: Site, value: unknown, run: Run, into: Evaluated, except?: string): void {
  run.spend(COLLECTING + site.cost);
  if (Array.isArray(value)) collectItems(site, value, run, into, except);
  else if (isJsonObject(value)) collectMembers(site, value, run, into, except);
  for (const branch of branchesTaken(site, value, run)) {
    if (branch.site === undefined) continue;
    run.enter();
    collect(branch.site, value, run, into);
    run.leave();
  }
}

function collectMembers(site: Site, value: JsonObject, run: Run, into: Evaluated, except?: string): void {
  const { properties = {}, patternProperties } = site.schema;
  if ("additionalProperties" in site.schema || ("unevaluatedProperties" in site.schema && except === undefined)) return into.addAll();
  run.spend(2 * Object.keys(value).length);
  const patterns = patternProperties === undefined ? [] : toPatterns(patternProperties, site);
  for (const key in value) {
    if (Object.hasOwn(properties as JsonObject, key) || patterns.some((pattern) => testPattern(pattern, key, run))) into.add(key); // checked when it was compiled
  }
}

function collectItems(site: Site, value: readonly unknown[], run: Run, into: Evaluated, except?: string): void {
  const { items, prefixItems } = site.schema;
  const tuple = site.dialect === 2020 ? prefixItems : items;
  const hasRest =
    site.dialect === 2020 ? "items" in site.schema : "items" in site.schema && (!Array.isArray(items) || "additionalItems" in site.schema);
  if (hasRest || ("unevaluatedItems" in site.schema && except === undefined)) return into.addAll();
  if (Array.isArray(tuple)) for (let i = 0; i < tuple.length; i++) into.add(i);
  if (site.dialect !== 2020 || !("contains" in site.schema)) return;
  const node = site.child(site.schema["contains"], "contains");
  for (let i = 0; i < value.length; i++) if (node.check(value[i], run)) into.add(i);
}

/** The subschemas at `site` that apply to this same value and that it fits. */
function* branchesTaken(site: Site, value: unknown, run: Run): Iterable<Node> {
  for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"] as const) {
    if (keyword in site.schema) yield site.target(keyword);
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const list = site.schema[keyword];
    if (!Array.isArray(list)) continue;
    for (const [index, schema] of list.entries()) {
      const node = site.child(schema, `${keyword}/${index}`);
      if (keyword === "allOf" || node.check(value, run)) yield node;
    }
  }
  if ("if" in site.schema) {
    const test = site.child(site.schema["if"], "if");
    const taken = test.check(value, run) ? "then" : "else";
    if (taken === "then") yield test;
    if (taken in site.schema) yield site.child(site.schema[taken], taken);
  }
  const { dependentSchemas } = site.schema;
  if (!isJsonObject(dependentSchemas) || !isJsonObject(value)) return;
  for (const [trigger, schema] of Object.entries(dependentSchemas)) {
    if (hasMember(value, trigger)) yield site.child(schema, `dependentSchemas/${trigger}`);
  }
}

export const unevaluatedKeywords: Readonly<Record<string, KeywordEntry>> = {
  unevaluatedProperties: [2019, 2020, unevaluatedProperties],
  unevaluatedItems: [2019, 2020, unevaluatedItems],
};
