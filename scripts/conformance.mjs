// Runs the official conformance suite against the fixtures in test/conformance: server and client on every revision, authorization server.
//   npm run conformance                   builds, then runs every leg; exits with 1 where a scenario does not pass
//   npm run conformance -- --no-build     with what is in dist/; other options are those of conformance/run.mjs
// Every scenario of every leg must pass, scored by the suite or not, save the one the suite has no checks for. The report is left in
// out/conformance.json, where test/conformance/required.test.ts compares it with what the suite requires.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);

/** The suite skips it whatever the server does: it would have to open a stream, and does not. */
const PENDING = "^tasks-status-notifications$";

/** Milliseconds of a scenario. The suite runs up to 32 of them at a time: on a busy machine each takes as long as all. */
const TIMEOUT = "120000";

function run(script, args) {
  const { status } = spawnSync(process.execPath, [`${root}${script}`, ...args], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

mkdirSync(`${root}out`, { recursive: true });
rmSync(`${root}out/conformance.json`, { force: true }); // a run that dies leaves no older report behind
if (!given.includes("--no-build")) run("scripts/build.mjs", []);
run("conformance/run.mjs", [
  "--server",
  `"${process.execPath}" test/conformance/server.mjs`,
  "--client",
  `"${process.execPath}" test/conformance/client.mjs`,
  "--as",
  `"${process.execPath}" test/conformance/as.mjs`,
  "--legs",
  "server,client,legacy,extensions,authorization",
  "--all",
  "--pending",
  PENDING,
  "--timeout",
  TIMEOUT,
  "--json",
  "out/conformance.json",
  ...given.filter((option) => option !== "--no-build"),
]);
