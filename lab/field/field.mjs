// Tenon among software that its authors did not write: real servers, each with the official client and with Tenon's, and real
// clients, each at a server of Tenon and at the same server of the official SDK. What they are stands in field.json.
//   npm run field -- --install          brings those that are missing into lab/field/installed (5 GB), then compares all
//   npm run field                       compares all: some ten minutes
//   npm run field -- --only nx-mcp      these alone; names or parts of names, separated by commas
//   npm run field -- --json             one JSON document on stdout in the place of the table
//   npm run field -- --page             writes docs/project/works-with.json and .md, row by row; with --only the others stay as they were
// Exits with 1 if something differs that explained.json has no reason for. Needs a build.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runClient } from "./clients/run.mjs";
import { openOf } from "./differences.mjs";
import { installAll, isInstalled } from "./install.mjs";
import { keep } from "./results.mjs";
import { rows } from "./rows.mjs";
import { runServer } from "./servers/run.mjs";
import { asText } from "./table.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";
import { stoppedBySignals } from "../cluster/stopped-by-signals.mjs";

endWithReader();

const { values: given } = parseArgs({
  options: {
    install: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
  },
});
const say = (line) => console.error(line);

/** The rows that were asked for. */
function chosen() {
  const parts = given.only?.split(",") ?? [""];
  for (const part of parts) if (!rows.some(({ name }) => name.includes(part))) throw new TypeError(`field.json has no ${part}`);
  return rows.filter(({ name }) => parts.some((part) => name.includes(part)));
}

/** Compares one after the other, so that none is slow because of another. */
async function compareAll(wanted, signal) {
  const found = { servers: [], clients: [] };
  for (const [index, { kind, ...row }] of wanted.entries()) {
    const began = Date.now();
    const step = (what) => say(`[${index + 1}/${wanted.length}] ${row.name}: ${what}`);
    const one = await (kind === "servers" ? runServer : runClient)(row, { signal, step });
    if (signal.aborted) return found;
    found[kind].push(one);
    if (given.page) keep(found);
    const open = openOf(one);
    step(
      `${open.length === 0 ? "as the official one" : `${open.length} differences`}, ${((Date.now() - began) / 1_000).toFixed(1)} s`,
    );
  }
  return found;
}

async function main() {
  if (!existsSync(fileURLToPath(new URL("../../packages/tenon-cli/dist/main.js", import.meta.url))))
    throw new Error("Build first: npm run build");
  const { signal, exit } = stoppedBySignals();
  const wanted = chosen();
  if (given.install) await installAll(wanted, say, signal);
  const missing = wanted.filter((row) => !isInstalled(row));
  if (missing.length > 0) say(`not installed (npm run field -- --install): ${missing.map(({ name }) => name).join(", ")}`);
  const found = await compareAll(
    wanted.filter((row) => isInstalled(row)),
    signal,
  );
  if (!signal.aborted) {
    console.log(given.json ? JSON.stringify(found, undefined, 2) : asText(found));
    const all = [...found.servers, ...found.clients];
    process.exitCode = missing.length === 0 && all.every((row) => openOf(row).length === 0) ? 0 : 1;
  }
  exit();
}

await main();
