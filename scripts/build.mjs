// Builds `dist/` from `src/` with the compiler alone: no bundler, one file out for each file in.
// `dist/` is emptied first, so that a file removed from `src/` cannot live on in the package.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

const root = new URL("..", import.meta.url);
rmSync(new URL("dist", root), { recursive: true, force: true });
const tsc = new URL("node_modules/typescript/bin/tsc", root);
const { status } = spawnSync(process.execPath, [tsc.pathname, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
