// Real servers of the official SDK 1.x, each on the SDK that it was published with and on the layer, with the same client; then each on
// 2026-07-28. Which servers, in which versions, and which differences are right with their reasons stands in servers.json.
//   npm run sdk-v1:servers -- --install     brings those that are missing into lab/field/installed, then compares all
//   npm run sdk-v1:servers                  compares all, some twenty minutes
//   npm run sdk-v1:servers -- --only exa    these alone; names or parts of names, separated by commas
//   npm run sdk-v1:servers -- --page        writes docs/project/moved-servers.json and .md, row by row
// Exits with 1 if something differs that has no reason. Needs a build.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { stoppedBySignals } from "../cluster/stopped-by-signals.mjs";
import { installAll, isInstalled } from "../field/install.mjs";
import { rows as fieldRows } from "../field/rows.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";
import { compareServer } from "./moved-server.mjs";
import { keep, openOf } from "./servers-page.mjs";

endWithReader();

const { field, servers } = JSON.parse(readFileSync(new URL("servers.json", import.meta.url), "utf8"));
const { values: given } = parseArgs({
  options: { install: { type: "boolean" }, only: { type: "string", default: "" }, page: { type: "boolean" } },
});
const say = (line) => console.error(line);

const rows = [
  ...fieldRows.filter(({ name }) => field.includes(name)),
  ...Object.entries(servers).map(([name, row]) => ({ name, package: name, ...row })),
];

async function main() {
  const { signal, exit } = stoppedBySignals();
  const wanted = rows.filter(({ name }) => given.only.split(",").some((part) => name.includes(part)));
  if (given.install) await installAll(wanted, say, signal);
  const missing = wanted.filter((row) => !isInstalled(row));
  if (missing.length > 0) say(`not installed (--install brings them): ${missing.map(({ name }) => name).join(", ")}`);
  let differing = 0;
  const there = wanted.filter((row) => isInstalled(row));
  for (const [index, row] of there.entries()) {
    const step = (what) => say(`[${index + 1}/${there.length}] ${row.name}: ${what}`);
    const found = await compareServer(row, { signal, step });
    if (signal.aborted) break;
    if (given.page) keep(found, rows);
    const open = openOf(found);
    if (open.length > 0) differing++;
    const { newest, asked, sdk } = found;
    console.log(
      `${row.name} (${sdk}): ${asked} requests, ${open.length} differences; ${newest.tenon ?? "not"} / ${newest.second ?? "not"} on 2026-07-28`,
    );
    for (const { column, at, official, moved } of open)
      console.log(`    ${column} ${at}\n      official: ${official}\n      moved:    ${moved}`);
  }
  if (!signal.aborted) {
    console.log(`${there.length - differing} of ${there.length} servers are the same on the layer, or differ for a reason`);
    process.exitCode = differing === 0 && missing.length === 0 ? 0 : 1;
  }
  exit();
}

await main();
