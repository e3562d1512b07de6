/** Keywords about arrays. `items` changed its meaning in 2020-12; before, a list of schemas there meant what `prefixItems` means now. */
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import { counted, toCount, toNodeList, type Keyword, type KeywordEntry, type Node } from "./keyword.ts";
import type { Check, Run } from "./run.ts";

function onArray(check: (value: readonly unknown[], run: Run) => boolean): Check {
  return (value, run) => !Array.isArray(value) || check(value, run);
}

/** Checks the first items, each by its own schema. */
function tuple(nodes: readonly Node[]): Check {
  return onArray((value, run) => {
    const count = Math.min(nodes.length, value.length);
    for (let i = 0; i < count; i++) if (nodes[i]?.check(value[i], run) === false) return run.within(i);
    return true;
  });
}

/** Checks the items from `start` on, all by one schema. */
function rest(start: number, node: Node): Check {
  return onArray((value, run) => {
    if (node.schema === false && value.length > start) return run.fail(`must have at most ${counted(start, "item")}`);
    for (let i = start; i < value.length; i++) if (!node.check(value[i], run)) return run.within(i);
    return true;
  });
}

const prefixItems: Keyword = (argument, site) => tuple(toNodeList(argument, site, "prefixItems"));

const items: Keyword = (argument, site) => {
  if (!Array.isArray(argument)) {
    const prefix = site.dialect === 2020 ? site.schema["prefixItems"] : undefined;
    return rest(Array.isArray(prefix) ? prefix.length : 0, site.child(argument, "items"));
  }
  if (site.dialect === 2020)
    throw new InvalidSchemaError('must be a schema; a list of them is "prefixItems" in 2020-12', `${site.where}/items`);
  return tuple(toNodeList(argument, site, "items"));
};

const additionalItems: Keyword = (argument, site) => {
  const node = site.child(argument, "additionalItems");
  const first = site.schema["items"];
  return Array.isArray(first) ? rest(first.length, node) : undefined;
};

const contains: Keyword = (argument, site) => {
  const node = site.child(argument, "contains");
  const isCounted = site.dialect >= 2019;
  const min = isCounted ? toCount(site.schema["minContains"] ?? 1, site, "minContains") : 1;
  const max = isCounted ? toCount(site.schema["maxContains"] ?? Number.MAX_SAFE_INTEGER, site, "maxContains") : Number.MAX_SAFE_INTEGER;
  return onArray((value, run) => {
    let found = 0;
    for (const item of value) if (node.check(item, run)) found++;
    if (found < min) return run.fail(`must contain at least ${counted(min, "matching item")}`);
    return found <= max || run.fail(`must contain at most ${counted(max, "matching item")}`);
  });
};

const maxItems: Keyword = (argument, site) => {
  const limit = toCount(argument, site, "maxItems");
  return onArray((value, run) => value.length <= limit || run.fail(`must have at most ${counted(limit, "item")}`));
};

const minItems: Keyword = (argument, site) => {
  const limit = toCount(argument, site, "minItems");
  return onArray((value, run) => value.length >= limit || run.fail(`must have at least ${counted(limit, "item")}`));
};

const uniqueItems: Keyword = (argument) => {
  if (argument !== true) return undefined;
  return onArray((value, run) => {
    const texts = new Set<string>();
    const long = new Map<string, number>();
    for (const item of value) texts.add(canonicalText(item, run, long));
    return texts.size === value.length || run.fail("must not contain the same item twice");
  });
};

/** Characters from which on a string is not written again: a list may have tens of megabytes of them. */
const LONG_STRING = 64;

/** The same text for equal values, and another for any other. `long` numbers the long strings. Costs steps for each value inside. */
function canonicalText(value: unknown, run: Run, long: Map<string, number>): string {
  run.spend(6);
  if (typeof value === "string" && value.length > LONG_STRING) return `#${numberIn(long, value)}`; // no JSON text begins so
  if (typeof value !== "object" || value === null) return JSON.stringify(value === 0 ? 0 : value) ?? "undefined";
  run.spend(12);
  run.enter();
  const parts = Array.isArray(value)
    ? value.map((item) => canonicalText(item, run, long))
    : Object.entries(value)
        .sort(byKey)
        .map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member, run, long)}`);
  run.leave();
  return Array.isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`;
}

function numberIn(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text) ?? numbers.size;
  numbers.set(text, known);
  return known;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

export const arrayKeywords: Readonly<Record<string, KeywordEntry>> = {
  prefixItems: [2020, 2020, prefixItems],
  items: [6, 2020, items],
  additionalItems: [6, 2019, additionalItems],
  contains: [6, 2020, contains],
  maxItems: [6, 2020, maxItems],
  minItems: [6, 2020, minItems],
  uniqueItems: [6, 2020, uniqueItems],
};
