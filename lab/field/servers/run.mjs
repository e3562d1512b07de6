// One server in all ways: with the official client, with Tenon's, with the official client behind `tenon gateway`, and what
// `tenon list` and `tenon doctor` say. The observations are compared member by member with those of the official client.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { differences, short } from "../differences.mjs";
import { folderOf } from "../install.mjs";
import { runInProcess } from "../processes.mjs";

const OBSERVE = fileURLToPath(new URL("observe.mjs", import.meta.url));
const COMMAND = fileURLToPath(new URL("command.mjs", import.meta.url));
/** What servers are built with, as their packages need it; a bundled one says so in its row. */
const SDKS = [
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/server",
  "fastmcp",
  "firecrawl-fastmcp",
  "@sylphx/mcp-server-sdk",
];

const packageOf = (row, name) => join(folderOf(row.package), "node_modules", name, "package.json");
const read = (file) => JSON.parse(readFileSync(file, "utf8"));

/** The program of a package, as npm links it: the one that the row names, or the one that the package has. */
export function programOf(row) {
  const { bin } = read(packageOf(row, row.package));
  const names = typeof bin === "string" ? [basename(row.package)] : Object.keys(bin);
  return { command: join(folderOf(row.package), "node_modules", ".bin", row.bin ?? names[0]), args: row.args ?? [] };
}

function sdkOf(row) {
  if (row.sdk !== undefined) return row.sdk;
  const needed = read(packageOf(row, row.package)).dependencies ?? {};
  const name = SDKS.find((one) => needed[one] !== undefined && existsSync(packageOf(row, one)));
  return name === undefined ? "bundled" : `${name} ${read(packageOf(row, name)).version}`;
}

/** What is compared, by the column of the table: which way, and which sections of an observation. */
const COLUMNS = {
  start: ["tenon", ["start"]],
  lists: ["tenon", ["lists"]],
  calls: ["tenon", ["results"]],
  errors: ["tenon", ["errors"]],
  end: ["tenon", ["left"]],
  gateway: ["gateway", ["lists", "results", "errors", "left"]],
};

/** The differences of one column. */
function column(name, official, other, way, sections) {
  const pick = (seen) => Object.fromEntries(sections.map((section) => [section, seen[section]]));
  const found = differences(pick(official), pick(other));
  return found.map(({ path, first, second }) => ({
    column: name,
    at: `${way} ${path}`,
    official: short(first),
    tenon: short(second),
  }));
}

/** What the command must show: it ends well, and each list has what the official client listed. */
function ofCommand(official, command) {
  const missing = Object.entries(official.lists ?? {}).flatMap(([kind, list]) =>
    (Array.isArray(list) ? list : [])
      .filter(({ name }) => !command.lists?.[kind]?.includes(name))
      .map(({ name }) => `${kind} lack ${name}`),
  );
  const faults = [...missing.map((at) => ({ at, what: "" })), ...(command.faults ?? [])];
  return faults.map(({ at, what }) => ({ column: "command", at: `command ${at}`, official: "", tenon: what }));
}

/** Ways that came to no end. */
const unfinished = (seen) =>
  Object.entries(seen).flatMap(([way, { limit, fault }]) =>
    limit === undefined && fault === undefined
      ? []
      : [{ column: "start", at: `${way} run`, official: "", tenon: limit ?? fault }],
  );

/** Observes a server in all ways and compares. */
export async function runServer(row, { signal, step }) {
  const limit = (row.limit ?? 120) * 1_000;
  const seen = {};
  for (const way of ["official", "tenon", "gateway", "command"]) {
    step(way);
    const declared = way === "gateway" ? seen.official.start?.capabilities : undefined;
    const program = (folder, env) => ({ ...programOf(row), http: row.http, env: { ...env, ...row.env }, cwd: folder });
    const task = (folder, env) => ({ way, folder, declared, calls: row.calls, program: program(folder, env) });
    seen[way] = await runInProcess(way === "command" ? COMMAND : OBSERVE, task, { limit, signal });
    if (signal.aborted) return;
  }
  const { official, tenon } = seen;
  const compared = Object.entries(COLUMNS).flatMap(([name, [way, sections]]) => column(name, official, seen[way], way, sections));
  const countOf = (list) => (Array.isArray(list) ? list.length : 0);
  return {
    name: row.name,
    version: row.version,
    sdk: sdkOf(row),
    revision: tenon.revision,
    counts: Object.fromEntries(Object.entries(tenon.lists ?? {}).map(([kind, list]) => [kind, countOf(list)])),
    asked: Object.keys(tenon.results ?? {}).length + Object.keys(tenon.errors ?? {}).length,
    deviations: tenon.deviations ?? [],
    milliseconds: { official: official.firstList, tenon: tenon.firstList },
    differences: [...unfinished(seen), ...compared, ...ofCommand(official, seen.command)],
  };
}
