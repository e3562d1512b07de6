// Builds the library of another commit and lays it out as the package `tenon-before`, beside which `npm run bench -- against` measures this one.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Builds `packages/tenon` alone: the other packages are not measured. */
const BUILD = `const { buildPackage } = await import("./scripts/build-package.mjs");
const { tenon } = await import("./scripts/places.mjs");
const { chunkLayout } = await import("./scripts/chunk-layout.mjs");
await buildPackage(tenon, { layout: chunkLayout });`;

/**
 * @param root of the repository, whose `node_modules` the other commit is built with
 * @returns false if there is no such commit, as in a clone without history
 */
export function layOutBefore(root, commit, to) {
  if (spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" }).status !== 0) return false;
  const tree = mkdtempSync(join(tmpdir(), "tenon-before-"));
  try {
    const tar = execFileSync("git", ["archive", commit, "packages/tenon", "scripts", "package.json", "tsconfig.json"], {
      cwd: root,
      maxBuffer: 2 ** 30,
    });
    execFileSync("tar", ["-x", "-C", tree], { input: tar });
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
    const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", BUILD], {
      cwd: tree,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (status !== 0) throw new Error(`${commit} cannot be built with the packages that are installed here`);
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to);
    for (const name of ["dist", "package.json"]) cpSync(join(tree, "packages/tenon", name), join(to, name), { recursive: true });
    return true;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}
