// Shows that it works, with software Tenon did not write: its client against three official servers, and the official
// clients of both generations against a server made with Tenon, in every revision both sides speak.
//   npm run demo             builds, runs, prints one table; exits with 1 where anything is not as expected
//   npm run demo -- --json   the same for machines: one JSON document on stdout
import { spawnSync } from "node:child_process";
import { root } from "./demo/packages.mjs";
import { Recorder } from "./demo/recorder.mjs";
import { tablePrinter } from "./demo/table.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const json = process.argv.includes("--json");
const started = performance.now();
if (!process.argv.includes("--no-build")) {
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(1);
}

// What is built is imported only now, and by the package's own name: what is shown is what would be published.
const { everything, filesystem, memory } = await import("./demo/official-servers.mjs");
const { clientV1, clientV2, drive, STATEFUL } = await import("./demo/official-clients.mjs");

const recorder = new Recorder(json ? () => undefined : tablePrinter());
await everything(recorder);
await filesystem(recorder);
await memory(recorder);
for (const revision of STATEFUL) await drive(recorder, "@modelcontextprotocol/sdk", clientV1, revision);
for (const revision of [...STATEFUL, "2026-07-28"]) await drive(recorder, "@modelcontextprotocol/client", clientV2, revision);

const { rows, failed } = recorder;
const seconds = Math.round((performance.now() - started) / 100) / 10;
if (json) console.log(JSON.stringify({ rows, passed: rows.length - failed, failed, seconds }, undefined, 2));
else console.log(`\n${rows.length} calls in ${seconds} s: ${failed === 0 ? "all as expected" : `${failed} not as expected`}`);
process.exitCode = failed === 0 ? 0 : 1;
