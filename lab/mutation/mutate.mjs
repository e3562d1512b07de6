// Mutation testing: changes the source in small ways, one at a time, and counts the changes that no test notices.
//   npm run mutate                                                     150 mutants of each folder below, seed 1
//   npm run mutate -- --sample 9 --seed 7                              a draw of 200 from all folders
//   npm run mutate -- --folder src/dispatch --sample 150 --seed 1      one folder (may be given several times)
//   npm run mutate -- --again                                          only those that no test noticed the last time
//   npm run mutate -- --folder src/dispatch --only src/dispatch/pending.ts:40    the mutants of one line
// Builds `dist`, which some tests run. A mutant is tried with the test files of its folder that run
// its code, the quickest first, at most `--tests` of them, and only until one test fails. What does not end counts as noticed.
// Mutants that change nothing a test could see stand with a reason in lab/mutation/equivalent.json. Prints every survivor, and
// writes out/mutation/report-<lane>.json. Fails if a folder's score is below 90 %.
// Own code, not Stryker: its current release needs Node 22, and Tenon is developed on Node 20.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { mutated } from "./operators.mjs";
import { Runner } from "./runner.mjs";
import { project } from "./sandbox.mjs";
import { mutantsIn, reachOf, sample, sourcesOf, testFiles } from "./selection.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

/** Names in the tables below are those of the package `tenon`, unless they begin with `packages/`. */
const inTenon = (path) => (path.startsWith("packages/") ? path : `packages/tenon/${path}`);

/** Tests of a gateway or a group that are long. */
const LONG = /(matrix|official|real-upstreams|serialisation|slow-reader|eight|model)/;

/** Their sources, and the folders whose tests are tried. Files of `without` are long: they are not tried. */
const FOLDERS = {
  "src/dispatch": {
    sources: ["src/dispatch"],
    tests: ["src/dispatch", "src/session", "test/dispatcher", "test/session", "test/compat", "test/http/closed-servers.test.ts"],
  },
  "src/session/asking": {
    sources: ["src/session/asking"],
    tests: [
      "src/session",
      "src/node/aead.test.ts",
      "test/asking",
      "test/cluster/rounds.test.ts",
      "test/interaction/asking.test.ts",
      "test/interaction/step-report.test.ts",
    ],
  },
  "src/server/http": {
    sources: ["src/server/http"],
    // Its `nodes/` is what nodes of a cluster share.
    tests: [
      "src/server/http",
      "src/node/http",
      "test/http",
      "test/cluster/upgrade.test.ts",
      ...["ended-sessions", "quiet-sessions", "sessions"].map((name) => `test/cluster/${name}.test.ts`),
    ],
    without: /(browser|frameworks)/,
  },
  "src/client/http": {
    sources: ["src/client/http"],
    tests: [
      ...["src/client", "test/http-client", "test/http/repeated-responses.test.ts", "test/peers-bugs/http.test.ts"],
      ...["responses", "http", "sessions"].map((what) => `test/field/connections-${what}.test.ts`),
      "test/auth/seam.test.ts",
    ],
    without: /(official|memory|fetching)/,
  },
  "src/auth": {
    sources: ["src/auth/resource-server", "src/auth/guarded-fetch.ts", "src/auth/url-policy.ts", "src/auth/ip-address.ts"],
    tests: ["src/auth", "src/node/fetch", "test/auth-server", "test/auth"],
  },
  "src/gateway": {
    sources: ["src/gateway"],
    tests: ["src/gateway", "test/gateway"],
    without: LONG,
  },
  "src/upstream": {
    sources: ["src/upstream"],
    tests: ["src/upstream", "test/joining", "test/group", "test/gateway"],
    without: LONG,
  },
  "src/group": { sources: ["src/group"], tests: ["src/group", "test/group", "test/joining"], without: LONG },
  "src/state": { sources: ["src/state", "src/effects"], tests: ["test/state"] },
  "src/spill": { sources: ["src/spill"], tests: ["test/state", "test/gateway/spill.test.ts"] },
  "src/api-keys": { sources: ["src/api-keys"], tests: ["test/api-keys", "test/auth-server/any-of.test.ts"] },
  "src/pages": { sources: ["src/pages", "src/node/pages"], tests: ["test/pages"] },
  "src/auth/login": {
    sources: ["src/auth/login", "src/auth/grants", "src/auth/issuer-metadata.ts"],
    tests: ["src/auth", "test/auth", "test/field/logins-options.test.ts", "test/field/logins-keys.test.ts"],
  },
  "src/authorization-server": {
    sources: ["src/authorization-server"],
    tests: ["src/authorization-server", "test/authorization-server"],
    without: /browser\.test/,
  },
  "src/cluster": {
    sources: ["src/cluster"],
    tests: ["test/cluster"],
    without: /(outage|partition|upgrade|faults)\.test/,
  },
  "src/node/config": {
    sources: ["src/node/config"],
    tests: [
      ...["src/node/config", "test/group/config.test.ts"],
      ...["configured", "command"].map((name) => `packages/tenon-cli/test/gateway/${name}.test.ts`),
    ],
  },
  "src/openapi": {
    sources: ["src/openapi"],
    tests: ["test/openapi", "packages/tenon-cli/test/openapi", "test/field/models-exact-numbers.test.ts"],
    without: /real-documents/,
  },
  "src/jsonrpc": {
    sources: ["src/jsonrpc", "src/wire"],
    tests: [
      "src/jsonrpc",
      "src/wire",
      "test/session",
      ...["nulls", "requests", "results"].map((what) => `test/field/reading-${what}.test.ts`),
      ...["projection", "malformed-results"].map((what) => `test/interaction/${what}.test.ts`),
    ],
  },
  "src/models": { sources: ["src/models"], tests: ["src/models", "test/models"] },
  "packages/tenon-cli/src/inspector/server": {
    sources: ["packages/tenon-cli/src/inspector/server"],
    tests: ["packages/tenon-cli/src/inspector", "packages/tenon-cli/test/inspector"],
    without: /page\.test|large\.test/,
  },
  "packages/tenon-cli/src/consent": {
    sources: ["packages/tenon-cli/src/consent"],
    tests: [
      "packages/tenon-cli/src/consent",
      "packages/tenon-cli/test/gateway/consent.test.ts",
      "packages/tenon-cli/test/cli/config-option.test.ts",
      "packages/tenon-cli/test/dev/ends.test.ts",
    ],
  },
  "src/extensions/tasks": {
    sources: ["src/extensions/tasks"],
    tests: ["src/extensions", "test/extensions/tasks", "test/extensions/contract.test.ts", "test/otel/tasks.test.ts"],
  },
};
const GATE = 0.9;

const { values: given } = parseArgs({
  options: {
    folder: { type: "string", multiple: true },
    sample: { type: "string", default: "150" },
    seed: { type: "string", default: "1" },
    tests: { type: "string", default: "40" },
    only: { type: "string" },
    again: { type: "boolean" },
    lane: { type: "string", default: "mutate" },
  },
});

const equivalent = JSON.parse(readFileSync(join(project, "lab/mutation/equivalent.json"), "utf8"));
const isEquivalent = ({ file, code, original, replacement }) =>
  equivalent.some(
    (one) => inTenon(one.file) === file && one.code === code && one.original === original && one.replacement === replacement,
  );

/** How often each test file has killed: the best are tried first. */
const kills = new Map();

/** Test files that run a mutant's block: those named like its file, those that killed most, then those that are done soonest. */
function testsFor({ file, block }, reach) {
  const reaching = Object.entries(reach).filter(([, { blocks }]) => blocks.has(block));
  const [folder, name] = file.replace(/\.ts$/, "").split("/").slice(-2);
  const isNamedLike = (test) => [folder, name].some((word) => basename(test).startsWith(word));
  const rank = ([test, { ms }]) => ms / (1 + (kills.get(test) ?? 0)) / (isNamedLike(test) ? 100 : 1);
  return reaching
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, Number(given.tests))
    .map(([test]) => test);
}

/** Tries the two most promising files first, the rest together. */
async function tryMutant(runner, mutant, reach) {
  const tests = testsFor(mutant, reach);
  if (tests.length === 0) return { outcome: "not run by a test" };
  runner.write(mutant.file, mutated(runner.sandbox.read(mutant.file), mutant));
  try {
    for (const files of [tests.slice(0, 1), tests.slice(1, 4), tests.slice(4)]) {
      if (files.length === 0) continue;
      const usual = files.reduce((sum, test) => sum + reach[test].ms, 0);
      const { failures, timedOut, died } = await runner.run(files, { timeout: 60_000 + 10 * usual });
      if (failures.length === 0) continue;
      const killer = files.find((file) => failures[0].startsWith(file)) ?? files[0];
      kills.set(killer, (kills.get(killer) ?? 0) + 1);
      return { outcome: timedOut || died ? "did not end" : "killed", by: failures[0] };
    }
    return { outcome: "survived", tests: tests.length };
  } finally {
    runner.restore();
  }
}

function describe({ file, line, operator, original, replacement, code }) {
  const short = (text) => text.replaceAll(/\s+/g, " ").slice(0, 60);
  return `${file}:${line} ${operator}: ${short(original)} -> ${short(replacement) || "(nothing)"}   | ${short(code)}`;
}

function summary(folder, results) {
  const tried = results.filter(({ outcome }) => outcome !== "equivalent");
  const noticed = tried.filter(isNoticed).length;
  const count = (outcome) => results.filter((one) => one.outcome === outcome).length;
  const score = tried.length === 0 ? 1 : noticed / tried.length;
  const apart = `${count("did not end")} did not end, ${count("not run by a test")} not run by a test, ${count("equivalent")} equivalent`;
  console.log(`${folder}: ${(score * 100).toFixed(1)} % of ${tried.length} mutants noticed (${apart})`);
  return {
    folder,
    at: new Date().toISOString(),
    score,
    mutants: tried.length,
    noticed,
    didNotEnd: count("did not end"),
    equivalent: count("equivalent"),
    results,
  };
}

function chosen(all) {
  if (given.only === undefined) return sample(all, Number(given.sample), Number(given.seed));
  return all.filter(({ file, line }) => given.only === file || given.only === `${file}:${line}`);
}

const report = () => join(project, `out/mutation/report-${given.lane}.json`);
const isNoticed = ({ outcome }) => outcome === "killed" || outcome === "did not end";

/** The folders of the last report of this lane. */
function lastReport() {
  return existsSync(report()) ? JSON.parse(readFileSync(report(), "utf8")).folders : [];
}

/** The same mutants in the source as it is now: files and lines may have moved. One that is not found counts as not noticed. */
function survivorsOf(results, all) {
  const same = (one) => (other) => ["operator", "original", "replacement", "code"].every((field) => one[field] === other[field]);
  return results.filter((result) => !isNoticed(result)).map((result) => all.find(same(result)) ?? { ...result, gone: true });
}

/** Tries the mutants of one folder, or again those that were not noticed in `last`, its report of the last time. */
async function runFolder(runner, folder, last) {
  const { root } = runner.sandbox;
  const { sources, tests, without } = FOLDERS[folder];
  const files = sources.flatMap((source) => sourcesOf(root, inTenon(source)));
  const measured = await reachOf(
    runner,
    files,
    testFiles(root, tests.map(inTenon)).filter((test) => !without?.test(test)),
    console.log,
  );
  const reach = Object.fromEntries(
    Object.entries(measured).map(([test, { ms, blocks }]) => [test, { ms, blocks: new Set(blocks) }]),
  );
  const all = mutantsIn(root, files);
  if (given.again && last === undefined) throw new Error(`${report()} has no ${folder}: run it without --again first`);
  const before = given.again ? last.results : [];
  const mutants = given.again ? survivorsOf(before, all) : chosen(all);
  console.log(`${folder}: ${mutants.length} of ${all.length} mutants`);
  const results = before.filter(isNoticed);
  for (const mutant of mutants) {
    const outcome = mutant.gone
      ? { outcome: "survived" }
      : isEquivalent(mutant)
        ? { outcome: "equivalent" }
        : await tryMutant(runner, mutant, reach);
    results.push({ ...mutant, ...outcome });
    if (["survived", "not run by a test"].includes(outcome.outcome)) console.log(`  ${outcome.outcome}: ${describe(mutant)}`);
    else if (given.only || given.again) console.log(`  ${outcome.outcome}: ${describe(mutant)}\n      ${outcome.by}`);
  }
  return summary(folder, results);
}

/** Tests that start programs run what was built; without it they would be left out. */
function build() {
  const { status } = spawnSync(process.execPath, [join(project, "scripts/build.mjs")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("the build fails: run `npm run build` to see why");
}

async function main() {
  const folders = given.folder ?? Object.keys(FOLDERS);
  build();
  const runner = new Runner(given.lane, 30_000);
  const reports = new Map(lastReport().map((one) => [one.folder, one]));
  for (const folder of folders) {
    reports.set(folder, await runFolder(runner, folder, reports.get(folder)));
    mkdirSync(join(project, "out/mutation"), { recursive: true });
    const written = { seed: Number(given.seed), folders: [...reports.values()] };
    if (given.only === undefined) writeFileSync(report(), JSON.stringify(written, undefined, 2));
  }
  runner.stop();
  process.exitCode = folders.every((folder) => reports.get(folder).score >= GATE) ? 0 : 1;
}

await main();
