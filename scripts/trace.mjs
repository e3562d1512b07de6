// How many files, functions and folders of Tenon one warm `tools/call` enters, on ten walks through the source.
//   npm run trace            the table; a walk that enters more files than its limit fails (`npm run check` runs it), and one that enters
//                            a file that docs/internals/request-path.md does not name
//   npm run trace -- -v      which functions of which file, too
//   npm run trace -- --json  the table for machines
// V8's precise coverage counts, on the modules as the compiler emits them: before any joining.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import inspector from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository, tenon } from "./places.mjs";
import { endWithReader } from "./stdout.mjs";
import { walks } from "./trace/walks.mjs";

endWithReader();

/**
 * The most files that one call may enter: what it enters now, by folder. A limit follows the count down. It goes up only with a reason,
 * because every reader of the path pays for a file that every call enters.
 */
const LIMITS = {
  // What reads and writes text keeps numbers that JavaScript rounds as they were written (jsonrpc/exact-numbers.ts): 1 on each walk but
  // the one in process.
  // 6 read and write Node's HTTP, 10 are the endpoint; then as on stdio. The endpoint asks for scopes before the call: 1 more of server/.
  "server, HTTP stateless": 37,
  // A `Request` instead of Node's HTTP: 2 files of the server and 2 for bytes.
  "server, HTTP stateless, fetch": 34,
  // 14 of the endpoint, of which 6 are the session; an ordered connection has 2 more of dispatch/ than one exchange.
  "server, HTTP stateful": 44,
  // 21 of the endpoint, of which 5 ask the stores; the next request finds the session in the memory of the node. 2 more if the node renews
  // its lease meanwhile.
  "a session at a new node, first request": 62,
  "a session at a new node, next request": 51,
  // 5 read and write lines, 5 are the connection, 4 JSON, 4 the codec, 6 the chain and the tool, 3 its schema, 1 is of base/.
  "server, stdio 2025-11-25": 28,
  "server, stdio 2026-07-28": 28,
  // 5 of the client, 6 of the connection, 3 copy values, 6 the codec both ways; 6 the chain and the tool, 3 its schema, 3 of base/.
  // Both sides limit middleware to methods in one place (session/handler.ts).
  "both sides, in process": 32,
  // 6 of the client, 9 of its HTTP, 4 of Node's fetch, which asks whether there is a proxy, 4 of the connection, 4 JSON, 6 the codec and the methods, 7 of base/.
  "client, HTTP stateless": 37,
  // The files of HTTP stateless up to the handler, 20 of the gateway (3 say which caller owns what a lane hears, and which members the
  // policy judges), the client's half of stdio. Tasks, quotas and middleware cost nothing if the server has none.
  "gateway, HTTP stateless to stdio": 68,
};

const options = new Set(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), "tenon-trace-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Compiles `src/` into the folder, one file for each file, and returns how its entries are imported. */
function compile() {
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", join(folder, "dist")], {
    cwd: tenon,
    stdio: ["ignore", 2, 2],
  });
  cpSync(join(tenon, "package.json"), join(folder, "package.json"));
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  return (entry) => import(pathToFileURL(join(folder, "dist", entry, "index.js")).href);
}

const page = readFileSync(join(repository, "docs/internals/request-path.md"), "utf8");
/** Folders that every path uses, so the page does not name their files. */
const COMMON = /^(?:base|jsonrpc|wire|schema)\//;

/** The files that the page does not name. */
function unnamed(files) {
  const sources = [...files.keys()].map((file) => file.replace(/\.js$/, ".ts"));
  return sources.filter((file) => !COMMON.test(file) && !page.includes(`\`${file}\``));
}

/** Measurements after which more than the limit is what a call enters. */
const ENOUGH = 30;

/** The least of three measurements, or of more if it is too much: a timer may fire in any one of them, in most on a busy machine. */
async function entered(session, { call, prepare }, limit) {
  let least;
  for (let i = -5; i < 3 || ((least.size > limit || unnamed(least).length > 0) && i < ENOUGH); i++) {
    await prepare?.();
    const measured = i < 0 ? await call() : await measure(session, call);
    if (i >= 0 && (least === undefined || measured.size < least.size)) least = measured;
  }
  return least;
}

/** What one call enters: a map of files to the functions that were called, with how often. */
async function measure(session, call) {
  await settled();
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await call();
  await settled();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  const files = new Map();
  for (const { url, functions } of result) {
    const at = url.indexOf("/dist/");
    const called = functions.filter(({ ranges }) => ranges[0].count > 0);
    if (!url.includes(folder) || called.length === 0) continue;
    files.set(
      url.slice(at + 6),
      called.map(({ functionName, ranges }) => ({ name: functionName || "(anonymous)", count: ranges[0].count })),
    );
  }
  return files;
}

/** What a call leaves to do for later turns of the event loop is done. */
const settled = () => new Promise((done) => setTimeout(done, 50));

function toRow(walk, files) {
  const called = [...files.values()].flat();
  return {
    walk,
    files: files.size,
    limit: LIMITS[walk],
    functions: called.length,
    calls: called.reduce((sum, { count }) => sum + count, 0),
    folders: new Set([...files.keys()].map((file) => file.split("/").slice(0, -1).join("/"))).size,
  };
}

const session = new inspector.Session();
session.connect();
await session.post("Profiler.enable");
const rows = [];
const missing = new Set();
for await (const { walk, ...made } of walks(compile())) {
  const files = await entered(session, made, LIMITS[walk]);
  rows.push(toRow(walk, files));
  for (const file of unnamed(files)) missing.add(file);
  if (!options.has("-v")) continue;
  console.log(`\n${walk}`);
  for (const [file, called] of [...files].sort())
    console.log(`  ${file}: ${called.map(({ name, count }) => `${name} ×${count}`).join(", ")}`);
}
if (options.has("--json")) console.log(JSON.stringify(rows, undefined, 2));
else console.table(Object.fromEntries(rows.map(({ walk, ...row }) => [walk, row])));
const over = rows.filter(({ files, limit }) => files > limit);
for (const { walk, files, limit } of over) console.error(`${walk}: one call enters ${files} files, the limit is ${limit}`);
for (const file of missing) console.error(`docs/internals/request-path.md does not name ${file}, which a call enters`);
process.exit(over.length === 0 && missing.size === 0 ? 0 : 1);
