// The tests of the library on the newest release of Node with long-term support, which npm brings (`npm run setup -- runtimes`): those
// beside the source, and of the whole those that use the most of Node: its streams, its processes, its HTTP, its cryptography.
//   node scripts/lts.mjs [folder or file of tests ...]     (`npm run test:lts`)
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository, tenon } from "./places.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const modules = join(tenon, "test/runtimes/binaries/node_modules");
/** Even numbers get long-term support. */
const [newest] = (existsSync(modules) ? readdirSync(modules) : [])
  .flatMap((name) => /^node-(\d+)$/.exec(name)?.[1] ?? [])
  .map(Number)
  .filter((number) => number % 2 === 0)
  .toSorted((a, b) => b - a);
if (newest === undefined) {
  console.error('There is no other release of Node here: run "npm run setup -- runtimes" first.');
  process.exit(1);
}
const node = join(modules, `node-${newest}`, "bin", "node");
const typed = process.argv.slice(2);
const parts =
  typed.length > 0
    ? typed
    : ["packages/tenon/src", ...["stdio", "interaction", "http", "http-client", "auth"].map((name) => `packages/tenon/test/${name}/`)];
console.log(`Node ${spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim()}: ${parts.join(" ")}`);
// Child processes of tests are started by `process.execPath` or found on the path: both are this Node.
const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
const { status } = spawnSync(node, [join(repository, "node_modules/vitest/vitest.mjs"), "run", ...parts], {
  cwd: repository,
  env,
  stdio: "inherit",
});
process.exit(status ?? 1);
