// The tests that ran and passed, by the ids that their titles name: read from vitest's report, not from source, so that a test that
// was skipped, filtered out or never reached proves nothing.
//
// A title names rows at its end, in brackets: `"a call that times out is cancelled [XT-03 CF-03]"`. The title of a `describe`
// names rows for all of its tests. An id that several lists have carries the name of its list: `[requirement S1, rule R7]`.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { LIST_NAMES } from "./rows.mjs";

const ID = String.raw`(?:[A-Z]{1,2}-\d+|[A-Z]\.\d+|[A-Z]\d+(?:\.\d+)?)`;
const ITEM = String.raw`(?:(?:requirement|fault|rule) )?${ID}`;
/** Brackets that hold nothing but ids. In the title of a table's rows something may follow them. */
const BRACKETS = new RegExp(String.raw`\[(${ITEM}(?:,? ${ITEM})*)\]`, "g");
const NAME = new RegExp(String.raw`(?:\b(requirement|fault|rule) )?(?<![\w.-])(${ID})(?![\w-]|\.\d)`, "g");

/** What a title names: `{ list?, id }` each. */
export function namedIn(title) {
  const items = [...title.matchAll(BRACKETS)].flatMap(([, ids]) => [...ids.matchAll(NAME)]);
  return items.map(([, name, id]) => ({ list: LIST_NAMES[name], id }));
}

/** The tests of a report that passed, and those that were left out because of a missing part, as `{ where, names }`; undefined without one. */
export function readTests(root, reportFile) {
  if (!existsSync(reportFile)) return undefined;
  const { testResults } = JSON.parse(readFileSync(reportFile, "utf8"));
  const tests = testResults.flatMap(({ name: file, assertionResults }) => assertionResults.map((one) => ({ file, ...one })));
  const named = ({ file, ancestorTitles, title }) => ({
    where: `${relative(root, file)}: ${title}`,
    names: [...ancestorTitles, title].flatMap(namedIn),
  });
  return {
    passed: tests.filter(({ status }) => status === "passed").map(named),
    leftOut: tests.filter(({ status, meta }) => status !== "passed" && status !== "failed" && meta?.needs !== undefined).map(named),
  };
}
