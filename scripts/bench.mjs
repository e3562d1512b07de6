// Runs the benchmark on what would be published: builds Tenon, installs the peers once, and lays the package out in
// `bench/node_modules/tenon` as an install would (a copy of `files`, not a link), so that its size and its place on a
// profile's stacks are real.
//   npm run bench -- [options of bench/run.mjs]
//   npm run bench -- profile|micro|micro-tenon [options of that program]
//   npm run bench:languages                        Tenon beside the SDKs of Go, Rust, Java and Python (bench/languages.mjs)
//   npm run bench -- … --no-build                  with the build that is there, while other programs use it
//   npm run bench -- against [--commit HEAD~1]     CPU time of each row beside that of another commit: a row that lost is a failure.
//                                                Nothing is measured if the library is the same at both
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { layOutBefore } from "./bench-before.mjs";
import { tenon } from "./places.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("..", import.meta.url));
const bench = join(root, "bench");
/** What the measured package is built from. */
const BUILT_FROM = [
  "packages/tenon/src",
  "packages/tenon/package.json",
  "package-lock.json",
  "scripts/*build*",
  "scripts/chunk-layout.mjs",
  ":!*.test.ts",
];
const PROGRAMS = ["run", "profile", "micro", "micro-tenon", "against", "languages"];

/** Runs a command in the foreground; a failure ends this program with the same status. */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

const args = process.argv.slice(2);
const given = args.filter((arg) => arg !== "--no-build");
if (given.length === args.length) run(process.execPath, ["scripts/build.mjs"], root);
const { devDependencies: peers } = JSON.parse(readFileSync(join(bench, "package.json"), "utf8"));
if (!Object.keys(peers).every((name) => existsSync(join(bench, "node_modules", name))))
  run("npm", ["ci", "--no-audit", "--no-fund"], bench);
const copy = join(bench, "node_modules", "tenon");
rmSync(copy, { recursive: true, force: true });
mkdirSync(copy);
const { files } = JSON.parse(readFileSync(join(tenon, "package.json"), "utf8"));
const packed = ["package.json", "README.md", "LICENSE", ...files.filter((name) => !name.startsWith("!"))];
const isPacked = (path) => !path.endsWith(".test.ts") && path !== join(tenon, "docs", "reference"); // what `files` takes out again
for (const name of packed) cpSync(join(tenon, name), join(copy, name), { recursive: true, filter: isPacked });

const [first, ...rest] = given;
const [program, options] = PROGRAMS.includes(first) ? [first, rest] : ["run", given];
if (program === "against") {
  const at = options.indexOf("--commit");
  const commit = at < 0 ? "HEAD~1" : options[at + 1];
  const isSame = spawnSync("git", ["diff", "--quiet", commit, "--", ...BUILT_FROM], { cwd: root }).status === 0;
  if (isSame || !layOutBefore(root, commit, join(bench, "node_modules", "tenon-before"))) {
    console.log(`${isSame ? `The library has not changed since ${commit}` : `There is no commit ${commit} here`}: nothing is compared`);
    process.exit(0);
  }
}
run(process.execPath, [`${program}.mjs`, ...options], bench);
