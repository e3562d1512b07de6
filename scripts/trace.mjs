// How many files, functions and folders of Tenon one warm `tools/call` enters, on five walks through the house.
//   npm run trace            the table; a walk that enters more files than its limit fails
//   npm run trace -- -v      which functions of which file, too
//   npm run trace -- --json  the table for machines
// V8's precise coverage counts, on the modules as the compiler emits them: before any joining.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import inspector from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { endWithReader } from "./stdout.mjs";
import { walks } from "./trace/walks.mjs";

endWithReader();

/**
 * `target`: the files that a newcomer can read in ten minutes. `limit`: the most that a change may leave behind; it follows the count
 * down, never up.
 */
const WALKS = {
  "server, HTTP stateless": { target: 34, limit: 38 },
  "server, HTTP stateless, fetch": { target: 34, limit: 35 },
  "server, HTTP stateful": { target: 38, limit: 45 },
  "server, stdio 2025-11-25": { target: 26, limit: 29 },
  "server, stdio 2026-07-28": { target: 26, limit: 29 },
  "both sides, in process": { target: 30, limit: 30 },
  "client, HTTP stateless": { target: 28, limit: 28 },
};

const project = fileURLToPath(new URL("..", import.meta.url));
const options = new Set(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), "tenon-trace-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Compiles `src/` into the folder, one file for each file, and returns how its entries are imported. */
function compile() {
  const tsc = join(project, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", join(folder, "dist")], {
    cwd: project,
    stdio: ["ignore", 2, 2],
  });
  cpSync(join(project, "package.json"), join(folder, "package.json"));
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"));
  return (entry) => import(pathToFileURL(join(folder, "dist", entry, "index.js")).href);
}

/** The least of three measurements: a timer of an earlier call may fire in any one of them. */
async function entered(session, call) {
  for (let i = 0; i < 5; i++) await call();
  const measured = [await measure(session, call), await measure(session, call), await measure(session, call)];
  return measured.toSorted((a, b) => a.size - b.size)[0];
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
    ...WALKS[walk],
    functions: called.length,
    calls: called.reduce((sum, { count }) => sum + count, 0),
    folders: new Set([...files.keys()].map((file) => file.split("/").slice(0, -1).join("/"))).size,
  };
}

const session = new inspector.Session();
session.connect();
await session.post("Profiler.enable");
const rows = [];
for await (const { walk, call } of walks(compile())) {
  const files = await entered(session, call);
  rows.push(toRow(walk, files));
  if (!options.has("-v")) continue;
  console.log(`\n${walk}`);
  for (const [file, called] of [...files].sort())
    console.log(`  ${file}: ${called.map(({ name, count }) => `${name} ×${count}`).join(", ")}`);
}
if (options.has("--json")) console.log(JSON.stringify(rows, undefined, 2));
else console.table(Object.fromEntries(rows.map(({ walk, ...row }) => [walk, row])));
const over = rows.filter(({ files, limit }) => files > limit);
for (const { walk, files, limit } of over) console.error(`${walk}: one call enters ${files} files, the limit is ${limit}`);
process.exit(over.length === 0 ? 0 : 1);
