// Builds `dist/` from `src/` with the compiler alone: no bundler, one file out for each file in.
// `dist/` is emptied first, so that a file removed from `src/` cannot live on in the package.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";

const root = new URL("..", import.meta.url);
rmSync(new URL("dist", root), { recursive: true, force: true });
const tsc = new URL("node_modules/typescript/bin/tsc", root);
const { status } = spawnSync(process.execPath, [tsc.pathname, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
// The command, so that `npx tenon` runs it in this folder too; an install does the same.
if (status === 0) chmodSync(new URL("dist/cli/main.js", root), 0o755);
process.exit(status ?? 1);
