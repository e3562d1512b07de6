/** Keywords that apply other schemas to the same value: references, combinations, conditions. */
import { toNodeList, type Keyword, type KeywordEntry, type Node } from "./keyword.ts";
import type { Check, Run } from "./run.ts";

/** References are the only way to recurse, so depth is counted here. */
export function followReference(node: Node, value: unknown, run: Run): boolean {
  run.spend(2);
  run.enter();
  const fits = node.check(value, run);
  run.leave();
  return fits;
}

function reference(keyword: "$ref" | "$dynamicRef" | "$recursiveRef"): Keyword {
  return (_argument, site): Check => {
    const node = site.target(keyword);
    return (value, run) => followReference(node, value, run);
  };
}

const allOf: Keyword = (argument, site) => {
  const nodes = toNodeList(argument, site, "allOf");
  return (value, run) => {
    for (const node of nodes) if (!node.check(value, run)) return false;
    return true;
  };
};

const anyOf: Keyword = (argument, site) => {
  const nodes = toNodeList(argument, site, "anyOf");
  return (value, run) => {
    for (const node of nodes) if (node.check(value, run)) return true;
    return run.fail("must match one of the schemas in anyOf");
  };
};

const oneOf: Keyword = (argument, site) => {
  const nodes = toNodeList(argument, site, "oneOf");
  return (value, run) => {
    let found = 0;
    for (const node of nodes) if (node.check(value, run)) found++;
    return found === 1 || run.fail(`must match exactly one of the schemas in oneOf, but matches ${found}`);
  };
};

const not: Keyword = (argument, site) => {
  const node = site.child(argument, "not");
  return (value, run) => !node.check(value, run) || run.fail('must not match the schema in "not"');
};

const condition: Keyword = (argument, site) => {
  const test = site.child(argument, "if");
  const yes = "then" in site.schema ? site.child(site.schema["then"], "then") : undefined;
  const no = "else" in site.schema ? site.child(site.schema["else"], "else") : undefined;
  if (yes === undefined && no === undefined) return undefined;
  return (value, run) => (test.check(value, run) ? yes : no)?.check(value, run) ?? true;
};

export const logicKeywords: Readonly<Record<string, KeywordEntry>> = {
  $ref: [6, 2020, reference("$ref")],
  $dynamicRef: [2020, 2020, reference("$dynamicRef")],
  $recursiveRef: [2019, 2019, reference("$recursiveRef")],
  allOf: [6, 2020, allOf],
  anyOf: [6, 2020, anyOf],
  oneOf: [6, 2020, oneOf],
  not: [6, 2020, not],
  if: [7, 2020, condition],
};
