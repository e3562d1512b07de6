/**
 * The files of tests that have a process to themselves (vitest.config.ts). All others share processes and their modules, as the
 * servers and clients of one program do: a process of its own costs half a second. A file is here if it must see what a whole
 * process does, or changes what belongs to it.
 */
const TENON = "packages/tenon/test";

/** Read the heap, or the memory of the process. */
const MEMORY = ["gateway/lifetimes", "http/idle-streams", "http-client/faults", "http-client/memory", "interaction/memory"];
/** See what is told once a process, or listen to the process. */
const WARNINGS = [
  ...["http-client/http-sse", "interaction/conventions", "interaction/deprecated"],
  ...["peers-bugs/foundation", "peers-bugs/programs", "peers-bugs/signals", "session/stall"],
];
/** Replace modules, load them again, or need that one is not loaded yet. */
const MODULES = ["session/first-question", "stores/loading"];
/** Change the `fetch` or the dispatcher of the process. */
const GLOBALS = ["http-client/default-fetch", "http-client/platform-fetch"];
export const ALONE: readonly string[] = [...MEMORY, ...WARNINGS, ...MODULES, ...GLOBALS].map(
  (name) => `${TENON}/${name}.test.ts`,
);

/**
 * Files that run long in programs that they start: examples, blocks of the docs, servers that are reloaded, packages that are
 * made, pages in a browser, nodes that are killed, engines of stores, shells, terminals, official schemas, the project's own
 * scripts. They are more than half of all time, so they are a project of their own, which `npm test` leaves out and
 * `npm run test:all` runs.
 */
export const PROGRAMS: readonly string[] = [
  ...[
    "consumers",
    "demo",
    "docs",
    "examples",
    "runtimes",
    "cluster",
    "workers",
    "moving",
    "stores",
    "extensions/apps/browser",
  ].map((folder) => `${TENON}/${folder}/**/*.test.ts`),
  ...["gateway/nodes", "pages/engines", "state/killed-node"].map((name) => `${TENON}/${name}.test.ts`),
  // Each of their tests starts a script, to see that it fails as it should.
  ...["api", "circles", "coverage", "docstrings", "from-python", "from-typescript", "layers", "lint", "plain-words"].map(
    (name) => `${TENON}/project/${name}.test.ts`,
  ),
  // Every value against the official schemas.
  `${TENON}/differential/*.test.ts`,
  ...["dev", "move", "inspector", "broken"].map((folder) => `packages/tenon-cli/test/${folder}/**/*.test.ts`),
  ...[
    "cli/at-terminal",
    "cli/bundle",
    "cli/completion",
    "cli/create-tenon",
    "cli/hosts",
    "cli/init",
    "cli/mistakes",
    "cli/process",
    "cli/publish",
    "cli/shared-stores",
    "cli/templates",
    "cli/types",
    "gateway/command",
    "gateway/command-nodes",
    "gateway/configured",
    "gateway/first-list",
    "gateway/followed",
    "gateway/pin-file",
    "gateway/pin-kinds",
    "openapi/command",
    "record/record",
  ].map((name) => `packages/tenon-cli/test/${name}.test.ts`),
  // Programs of other people: official clients, and real servers.
  ...["asking/official", "gateway/official", "extensions/tasks/official", "group/eight"].map(
    (name) => `${TENON}/${name}.test.ts`,
  ),
  "packages/sdk-v1/test/programs/**/*.test.ts",
];
