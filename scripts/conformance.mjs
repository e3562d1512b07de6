// Runs the official conformance suite against the fixtures in packages/tenon/test/conformance: server and client on every revision, authorization
// server, and both sides of the gateway: the server behind it, the client in front of it.
//   npm run conformance                   builds, then runs every leg; exits with 1 where a scenario does not pass
//   npm run conformance -- --no-build     with what is in dist/; other options are those of conformance/run.mjs
// Every scenario of every leg must pass, scored by the suite or not, save the one the suite has no checks for; through the gateway those
// that it scores. The reports are left in out/conformance.json, out/conformance-gateway.json and out/conformance-gateway-client.json, where
// packages/tenon/test/conformance/required.test.ts compares them with what the suite requires. Each names the commit that it is of, with
// `-changed` if files differed from it.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const given = process.argv.slice(2);
const commit = spawnSync("git", ["describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=-changed"], {
  cwd: root,
  encoding: "utf8",
}).stdout.trim();

/** The suite skips it whatever the server does: it would have to open a stream, and does not. */
const PENDING = "^tasks-status-notifications$";

/** Milliseconds of a scenario. The suite runs up to 32 of them at a time: on a busy machine each takes as long as all. */
const TIMEOUT = "120000";

function run(script, args) {
  const { status } = spawnSync(process.execPath, [`${root}${script}`, ...args], { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs legs of the suite, and leaves their report in out/. */
function runLegs(legs, report, options) {
  rmSync(`${root}out/${report}`, { force: true }); // a run that dies leaves no older report behind
  const own = given.filter((option) => option !== "--no-build");
  const path = `${root}out/${report}`;
  run("conformance/run.mjs", ["--legs", legs, "--timeout", TIMEOUT, "--json", path, ...options, ...own]);
  writeFileSync(path, `${JSON.stringify({ commit, ...JSON.parse(readFileSync(path, "utf8")) }, undefined, 2)}\n`);
}

/** The option that names the program of a side. */
const fixture = (side, name) => [`--${side}`, `"${process.execPath}" packages/tenon/test/conformance/${name}.mjs`];

mkdirSync(`${root}out`, { recursive: true });
if (!given.includes("--no-build")) run("scripts/build.mjs", []);
runLegs("server,client,legacy,extensions,authorization", "conformance.json", [
  ...fixture("server", "server"),
  ...fixture("client", "client"),
  ...fixture("as", "as"),
  "--all",
  "--pending",
  PENDING,
]);
console.log("\nThe server behind the gateway:");
runLegs("server", "conformance-gateway.json", fixture("server", "gateway"));
console.log("\nThe client in front of the gateway:");
runLegs("client", "conformance-gateway-client.json", fixture("client", "gateway-client"));
