// Clients and servers of the SDKs of Go, Rust, Java and Python with Tenon's: `npm run interop:languages`, after `npm run bench:languages -- --install`.
//   -- --short            each partner's newest family over HTTP, in both directions
//   -- --only rmcp        one partner; several with commas
//   -- --page             writes docs/project/works-with-languages.json and the page "Works with"
// A language that is not there is named, with the command that brings it. Exits with 1 if something deviates that explained.json has no reason for.
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ready, toolChainVersion } from "../../bench/languages/install.mjs";
import { PARTNERS, TABLE } from "../../bench/languages/peers.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";
import { writePage } from "../field/results.mjs";
import { EXPECTED } from "./checks.mjs";
import { deviationsOf } from "./deviations.mjs";
import { nameOf, pairsOf, tried } from "./pairs.mjs";

endWithReader();

const RESULTS = fileURLToPath(new URL("../../docs/project/works-with-languages.json", import.meta.url));
const { values: given } = parseArgs({
  options: { short: { type: "boolean", default: false }, page: { type: "boolean", default: false }, only: { type: "string" } },
});

async function deviationsSeen(pair) {
  try {
    return deviationsOf(pair, await tried(pair));
  } catch (error) {
    return deviationsOf(pair, { revision: { error: error.message } });
  }
}

/** Tries all pairs, one after the other. Resolves with the deviations of each. */
async function tryAll(pairs) {
  const results = [];
  for (const [index, pair] of pairs.entries()) {
    const began = Date.now();
    const deviations = await deviationsSeen(pair);
    const checks = Object.keys(EXPECTED).length;
    const seconds = ((Date.now() - began) / 1_000).toFixed(1);
    console.log(
      `[${index + 1}/${pairs.length}] ${nameOf(pair)}: ${checks - deviations.length} of ${checks} checks, ${seconds} s`,
    );
    for (const { check, seen, reason } of deviations) console.log(`    ${check}: ${seen} (${reason?.fault ?? "NOT EXPLAINED"})`);
    results.push({
      ...pair,
      checks,
      deviations: deviations.map(({ check, seen, reason }) => ({ check, seen, why: reason?.why })),
    });
  }
  return results;
}

async function main() {
  if (!existsSync(fileURLToPath(new URL("../../packages/tenon/dist", import.meta.url))))
    throw new Error("Build first: npm run build");
  const asked = given.only?.split(",") ?? PARTNERS;
  const unknown = asked.find((id) => !PARTNERS.includes(id));
  if (unknown !== undefined) throw new TypeError(`There is no partner ${unknown}. There are: ${PARTNERS.join(", ")}`);
  const { ids, leftOut } = ready(asked);
  for (const { id, why } of leftOut) console.log(`${TABLE[id].label} is left out: ${why}`);
  const pairs = await tryAll(pairsOf(ids, given.short));
  if (given.page) {
    if (given.short || ids.length < PARTNERS.length)
      throw new TypeError("The page has all pairs of all partners: nothing is written");
    const languages = [...new Set(ids.map((id) => TABLE[id].language))];
    const partners = ids.map((id) => ({ id, label: TABLE[id].label, sdk: TABLE[id].sdk }));
    const about = { date: new Date().toISOString().slice(0, 10), toolChains: languages.map(toolChainVersion), partners };
    writeFileSync(RESULTS, `${JSON.stringify({ ...about, pairs }, undefined, 1)}\n`);
    writePage();
  }
  const open = pairs.flatMap(({ deviations }) => deviations.filter(({ why }) => why === undefined));
  const passed = pairs.reduce((sum, { checks, deviations }) => sum + checks - deviations.length, 0);
  const named = pairs.reduce((sum, { deviations }) => sum + deviations.length, 0) - open.length;
  console.log(`${passed} checks as expected, ${named} deviations with a reason, ${open.length} without`);
  process.exitCode = open.length > 0 ? 1 : 0;
}

await main();
process.exit();
