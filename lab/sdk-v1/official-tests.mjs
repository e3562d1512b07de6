// Runs the tests of the official SDK 1.x with `tenon-sdk-v1` in the place of its source, and compares what fails with the list of
// what may (`allowed.json`, each with its reason). The tests are fetched at one commit and are never kept here. Needs a build,
// git and npm.
//   node lab/sdk-v1/official-tests.mjs [--repository url-or-folder] [--only part-of-a-path] [--original]
// With --original the release of the official SDK that the layer uses takes its own place: what fails then is no fault of the
// layer.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { repository, sdkV1 } from "../../scripts/places.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const { commit, repository: official, allowed } = JSON.parse(readFileSync(new URL("allowed.json", import.meta.url), "utf8"));
const { values } = parseArgs({
  options: {
    repository: { type: "string", default: official },
    only: { type: "string", default: "" },
    original: { type: "boolean" },
  },
});
const folder = join(repository, "out", "sdk-v1-tests");
const report = join(folder, "report.json");

/** Brings the commit here, with what its tests need. */
function fetchTests() {
  if (existsSync(join(folder, "node_modules"))) return;
  mkdirSync(folder, { recursive: true });
  const git = (...args) => execFileSync("git", args, { cwd: folder, stdio: "inherit" });
  git("init", "--quiet");
  git("-c", "uploadpack.allowAnySHA1InWant=true", "fetch", "--quiet", "--depth", "1", values.repository, commit);
  git("checkout", "--quiet", "FETCH_HEAD");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], {
    cwd: folder,
    stdio: "inherit",
  });
}

/** The configuration of the runner: each module of the source that the layer has is the layer's. */
function configure() {
  const official = join(repository, "node_modules/mcp-sdk-v1/dist/esm");
  const places = JSON.stringify(values.original ? [official] : [join(sdkV1, "dist"), official]);
  const config = `import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
const layered = {
  name: "tenon-sdk-v1",
  enforce: "pre",
  resolveId(id, importer) {
    const [, module] = /^(?:\\.\\.\\/)+src\\/(.*\\.js)$/.exec(id) ?? [];
    if (module === undefined || !importer?.includes("/test/")) return null;
    return ${places}.map((place) => place + "/" + module).find((path) => existsSync(path)) ?? null;
  },
};
export default defineConfig({
  plugins: [layered],
  test: { globals: true, environment: "node", setupFiles: ["./vitest.setup.ts"], include: ["test/**/*.test.ts"], testTimeout: 30000 },
});
`;
  writeFileSync(join(folder, "vitest.layer.config.ts"), config);
}

/** What failed, as `{ file, name, message }`, and how many passed. */
function run() {
  const args = [
    "vitest",
    "run",
    "--config",
    "vitest.layer.config.ts",
    "--maxWorkers",
    "2",
    "--reporter",
    "json",
    "--outputFile",
    report,
  ];
  spawnSync("npx", [...args, ...(values.only ? [values.only] : [])], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  const results = JSON.parse(readFileSync(report, "utf8")).testResults;
  const each = results.flatMap(({ name, assertionResults, message }) => {
    const file = relative(folder, name);
    if (assertionResults.length === 0) return [{ file, name: "(the file)", status: "failed", message }];
    return assertionResults.map(({ fullName, status, failureMessages }) => ({
      file,
      name: fullName,
      status,
      message: failureMessages[0] ?? "",
    }));
  });
  return { passed: each.filter(({ status }) => status === "passed"), failed: each.filter(({ status }) => status === "failed") };
}

fetchTests();
configure();
const { passed, failed } = run();
const titleOf = ({ file, name }) => `${file} > ${name}`;
const titlesOf = (entries) =>
  new Set(
    entries.flatMap(({ tests }) =>
      Object.entries(tests).flatMap(([file, names]) => names.map((name) => titleOf({ file, name }))),
    ),
  );
const mayFail = titlesOf(allowed);
const mustFail = titlesOf(values.original ? [] : allowed.filter(({ isTimed }) => !isTimed));
const unexpected = failed.filter((one) => !mayFail.has(titleOf(one)));
const stale = passed.filter((one) => mustFail.has(titleOf(one)));
for (const one of unexpected) console.log(`✗ ${titleOf(one)}\n    ${one.message.split("\n")[0]}`);
for (const one of stale) console.log(`It passes now, so it needs no entry: ${titleOf(one)}`);
console.log(
  `${passed.length} of ${passed.length + failed.length} pass; ${failed.length - unexpected.length} fail as allowed.json says`,
);
process.exit(unexpected.length === 0 && stale.length === 0 ? 0 : 1);
