// One runner for every test: unit tests beside the code (`unit`), tests of the whole through the public API (`whole`; `alone` are those
// that need a process to themselves, `programs` those that run long in programs), and those of the lab (`lab`).
// Imports of `tenon/...` and `#...` resolve to src through the `source` condition, so a test needs no build to see a change; those that run the
// command as users do (`tenon dev`, the packages as they are installed) start `dist`, and say so at their top.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type Plugin } from "vitest/config";
import { ALONE, PROGRAMS } from "./packages/tenon/test/support/alone.ts";
import { ByProject } from "./packages/tenon/test/support/by-project.ts";
import { LeftOutReporter } from "./packages/tenon/test/support/left-out.ts";
import { finishedFiles } from "./scripts/check/merge.mjs";
import { useOwnTemporaryFolder } from "./packages/tenon/test/support/temporary.ts";

useOwnTemporaryFolder();

// Without `module`: Node does not know it, and packages that have it (OpenTelemetry) put there what only bundlers can read.
const conditions = ["source", "node", "development|production"];

/** The files that an earlier run of the same commit has finished, whose report this names (scripts/check.mjs --after). */
const after = process.env["TENON_TEST_AFTER"];
const done = after === undefined ? [] : finishedFiles(after).map((file) => relative(import.meta.dirname, file));

// Files of the unit tests share processes, but no module (fresh-modules.ts).
const unit = {
  name: "unit",
  include: ["packages/*/src/**/*.test.ts"],
  exclude: [...configDefaults.exclude, ...done],
  isolate: false,
  setupFiles: ["packages/tenon/test/support/fresh-modules.ts"],
};
// The official clients import a package that offers its TypeScript under the condition "source": Node cannot run that, Vite can.
const OFFICIAL = /\/node_modules\/(@modelcontextprotocol\/(sdk|client)|mcp-sdk-v1|eventsource)\//;
/** What loadBundle() builds: Node loads it as it is. Vite would keep 170 MB for each, and a file with 26 of them came to the limit of its heap. */
const BUNDLE = /\/tenon-bundle-[^/]*\//;
const deps = { inline: [OFFICIAL], external: [BUNDLE] };
/** Their source maps name files that are not published. */
const unmapped: Plugin = {
  name: "without-source-maps",
  load: (id) => (OFFICIAL.test(id) ? readFileSync(id, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "") : undefined),
};
const server = { deps };
const whole = {
  name: "whole",
  include: ["packages/*/test/**/*.test.ts"],
  exclude: [...configDefaults.exclude, ...ALONE, ...PROGRAMS, ...done],
  isolate: false,
  setupFiles: ["packages/tenon/test/support/forgotten-servers.ts"],
  server,
};
const alone = { name: "alone", include: [...ALONE], exclude: [...configDefaults.exclude, ...done], server };
const programs = {
  name: "programs",
  include: [...PROGRAMS],
  exclude: [...configDefaults.exclude, ...ALONE],
  isolate: false,
  setupFiles: whole.setupFiles,
  server,
};

// Proofs that are long, and proofs that a proof finds what it should: lab/README.md.
const lab = {
  name: "lab",
  include: ["lab/**/*.test.ts"],
  exclude: [...configDefaults.exclude, "lab/agent-tasks/tasks/**"], // answers of agents, which the referee runs
  server,
};

// Property tests have one seed: seeded-fast-check.ts says why.
const SEEDED = fileURLToPath(new URL("packages/tenon/test/support/seeded-fast-check.ts", import.meta.url));
const seeded: Plugin = {
  name: "seeded-fast-check",
  enforce: "pre",
  resolveId: (id, importer) => (id === "fast-check" && importer !== SEEDED ? SEEDED : undefined),
};

// In continuous integration files and tests run in another order than they are written in, so that none comes to need the one
// before it. The seed is fixed, so that a run can be repeated; `--sequence.shuffle --sequence.seed=…` tries another order.
const sequence = process.env["CI"] ? { shuffle: true, seed: 1_795_379_255_123, sequencer: ByProject } : {};

// Modules as Vite makes them are kept for the other projects and for the next run, by what is in a file. Where its imports lead, the
// manifests of the packages say: with other ones nothing of it is taken.
const manifests = ["tenon", "tenon-cli", "sdk-v1"].map((name) => readFileSync(`${import.meta.dirname}/packages/${name}/package.json`));
const made = createHash("sha256").update(Buffer.concat(manifests)).digest("hex").slice(0, 16);

// Where the report for programs goes (scripts/check.mjs); without it, the end of the run says what was left out.
const results = process.env["TENON_TEST_RESULTS"];
const report = results === undefined ? [] : [["json", { outputFile: results }] satisfies [string, object]];

export default defineConfig({
  plugins: [seeded, unmapped],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    experimental: { fsModuleCache: true, fsModuleCachePath: `${import.meta.dirname}/node_modules/.cache/vitest/${made}` },
    environment: "node",
    reporters: ["default", new LeftOutReporter(results !== undefined), ...report],
    sequence,
    pool: "forks",
    // Two files more at a time than there are cores: many tests wait for child processes, engines and browsers.
    maxWorkers: availableParallelism() + 2,
    // These end what hangs. No test measures time: a machine that is ten times slower must pass too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 30_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    dangerouslyIgnoreUnhandledErrors: false,
    passWithNoTests: false,
    allowOnly: false,
    unstubGlobals: true,
    unstubEnvs: true,
    restoreMocks: true,
    projects: [
      { extends: true, test: unit },
      { extends: true, test: whole },
      { extends: true, test: alone },
      { extends: true, test: programs },
      { extends: true, test: lab },
    ],
  },
});
