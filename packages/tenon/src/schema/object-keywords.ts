/** Keywords about objects. A member that is `undefined` counts as absent, as it would be on the wire. */
import { pointerStep } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { counted, testPattern, toCount, toMap, toNames, toNodes, type Keyword, type KeywordEntry, type Site } from "./keyword.ts";
import type { LinearPattern } from "./pattern.ts";
import type { Check, Run } from "./run.ts";

function onObject(check: (value: JsonObject, run: Run) => boolean): Check {
  return (value, run) => !isJsonObject(value) || check(value, run);
}

/** Whether the object has that member itself, and it is not `undefined`. */
export function hasMember(value: JsonObject, key: string): boolean {
  return value[key] !== undefined && Object.hasOwn(value, key);
}

const properties: Keyword = (argument, site) => {
  const members = toNodes(argument, site, "properties");
  return onObject((value, run) => {
    for (let i = 0; i < members.length; i++) {
      const member = members[i];
      if (member === undefined || !hasMember(value, member.key)) continue;
      if (!member.node.check(value[member.key], run)) return run.within(member.key);
    }
    return true;
  });
};

export function toPatterns(argument: unknown, site: Site): readonly LinearPattern[] {
  const sources = Object.keys(toMap(argument, site, "patternProperties"));
  return sources.map((source) => site.pattern(source, `patternProperties/${pointerStep(source)}`));
}

const patternProperties: Keyword = (argument, site) => {
  const patterns = toPatterns(argument, site);
  const nodes = toNodes(argument, site, "patternProperties");
  return onObject((value, run) => {
    for (const key in value) {
      for (const [index, { node }] of nodes.entries()) {
        if (testPattern(patterns[index], key, run) && !node.check(value[key], run)) return run.within(key);
      }
    }
    return true;
  });
};

const additionalProperties: Keyword = (argument, site) => {
  if (argument === true) return undefined;
  const node = site.child(argument, "additionalProperties");
  const { properties: known = {}, patternProperties: patterned = {} } = site.schema;
  const names = new Set(Object.keys(toMap(known, site, "properties")));
  const patterns = toPatterns(patterned, site);
  return onObject((value, run) => {
    for (const key in value) {
      if (value[key] === undefined || names.has(key) || patterns.some((pattern) => testPattern(pattern, key, run))) continue;
      if (argument === false) return run.fail(`must not have a property "${key}"`);
      if (!node.check(value[key], run)) return run.within(key);
    }
    return true;
  });
};

const propertyNames: Keyword = (argument, site) => {
  const node = site.child(argument, "propertyNames");
  return onObject((value, run) => {
    for (const key in value) if (!node.check(key, run)) return run.within(key);
    return true;
  });
};

const required: Keyword = (argument, site) => {
  const names = toNames(argument, site, "required");
  return onObject((value, run) => {
    for (let at = 0; at < names.length; at++) if (!hasMember(value, names[at]!)) return run.fail(missing(value, names, at));
    return true;
  });
};

/** Most of the names after the first missing one that are looked for, too: the work of a check does not grow with what it says. */
const MAX_LOOKED = 10;

/** Names what is missing from `at` on: a model or an author adds it at once. */
export function missing(value: JsonObject, names: readonly string[], at: number): string {
  const [first, ...more] = names.slice(at, at + MAX_LOOKED).filter((name) => !hasMember(value, name));
  if (more.length === 0) return `must have a property "${first}"`;
  const quoted = [first, ...more].map((name) => `"${name}"`).join(", ");
  return `must have the properties ${quoted}${at + MAX_LOOKED < names.length ? ", and perhaps more" : ""}`;
}

const maxProperties: Keyword = (argument, site) => {
  const limit = toCount(argument, site, "maxProperties");
  return onObject(
    (value, run) => Object.keys(value).length <= limit || run.fail(`must have at most ${counted(limit, "property", "properties")}`),
  );
};

const minProperties: Keyword = (argument, site) => {
  const limit = toCount(argument, site, "minProperties");
  return onObject(
    (value, run) => Object.keys(value).length >= limit || run.fail(`must have at least ${counted(limit, "property", "properties")}`),
  );
};

const dependentRequired: Keyword = (argument, site) => {
  const entries = Object.entries(toMap(argument, site, "dependentRequired"));
  return all(entries.map(([trigger, names]) => needs(trigger, toNames(names, site, `dependentRequired/${pointerStep(trigger)}`))));
};

const dependentSchemas: Keyword = (argument, site) => {
  const nodes = toNodes(argument, site, "dependentSchemas");
  return onObject((value, run) => nodes.every(({ key, node }) => !hasMember(value, key) || node.check(value, run)));
};

/** Up to draft-07: names or a schema. */
const dependencies: Keyword = (argument, site) => {
  const entries = Object.entries(toMap(argument, site, "dependencies"));
  return all(
    entries.map(([trigger, dependency]) => {
      const suffix = `dependencies/${pointerStep(trigger)}`;
      if (Array.isArray(dependency)) return needs(trigger, toNames(dependency, site, suffix));
      const node = site.child(dependency, suffix);
      return onObject((value, run) => !hasMember(value, trigger) || node.check(value, run));
    }),
  );
};

function needs(trigger: string, names: readonly string[]): Check {
  return onObject((value, run) => {
    const missing = hasMember(value, trigger) ? names.find((name) => !hasMember(value, name)) : undefined;
    return missing === undefined || run.fail(`must have a property "${missing}" because it has "${trigger}"`);
  });
}

function all(checks: readonly Check[]): Check {
  return (value, run) => checks.every((check) => check(value, run));
}

export const objectKeywords: Readonly<Record<string, KeywordEntry>> = {
  required: [6, 2020, required],
  properties: [6, 2020, properties],
  patternProperties: [6, 2020, patternProperties],
  additionalProperties: [6, 2020, additionalProperties],
  propertyNames: [6, 2020, propertyNames],
  maxProperties: [6, 2020, maxProperties],
  minProperties: [6, 2020, minProperties],
  dependentRequired: [2019, 2020, dependentRequired],
  dependentSchemas: [2019, 2020, dependentSchemas],
  dependencies: [6, 2020, dependencies],
};
