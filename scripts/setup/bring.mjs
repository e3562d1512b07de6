// Brings parts: Debian's packages at once, packages of npm, files of a repository, and last what commands of this repository make,
// which may need the others.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./find.mjs";
import { PARTS } from "./parts.mjs";

/** Brings these parts. Returns whether all of them could be brought. */
export function bring(missing) {
  const rows = missing.map((part) => [part, PARTS[part]]);
  const debian = rows.flatMap(([, { debian: name }]) => name ?? []);
  const done = [debian.length === 0 || bringDebian(debian)];
  for (const [, { npm }] of rows) if (npm !== undefined) done.push(run("npm", "ci", "--ignore-scripts", "--prefix", npm));
  for (const [, { git, folders }] of rows) if (git !== undefined) done.push(bringFiles(git, join(root, folders[0])));
  for (const [, { command }] of rows) if (command !== undefined) done.push(run("sh", "-c", command));
  for (const [part, { ask }] of rows) if (ask !== undefined) console.log(`${part}: cannot be brought; ${ask}`);
  return !done.includes(false);
}

function run(program, ...args) {
  console.log(`== ${program} ${args.join(" ")}`);
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (error !== undefined) console.error(`${program}: ${error.message}`);
  return status === 0;
}

function bringDebian(packages) {
  if (spawnSync("apt-get", ["--version"]).status !== 0) {
    console.error(`There is no apt-get here. Install these with what this system has: ${packages.join(" ")}`);
    return false;
  }
  const asRoot = process.getuid?.() === 0 ? ["env"] : ["sudo", "env"];
  const quiet = [...asRoot, "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-o=Dpkg::Use-Pty=0"];
  return run(...quiet, "update") && run(...quiet, "install", "-y", "--no-install-recommends", ...packages);
}

/** Writes files of one commit of a repository into a folder. Nothing but that commit is fetched. */
function bringFiles({ url, commit, files }, folder) {
  const clone = mkdtempSync(join(tmpdir(), "tenon-setup-"));
  const git = (...args) => spawnSync("git", args, { cwd: clone, encoding: "utf8", maxBuffer: 2 ** 26 });
  try {
    console.log(`== git fetch ${url} ${commit}`);
    git("init", "--quiet");
    const fetched = git("fetch", "--quiet", "--depth=1", url, commit);
    if (fetched.status !== 0) throw new Error(fetched.stderr);
    for (const [from, to] of Object.entries(files)) {
      const { status, stdout, stderr } = git("show", `${commit}:${from}`);
      if (status !== 0) throw new Error(stderr);
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      writeFileSync(join(folder, to), stdout);
    }
    return true;
  } catch (error) {
    console.error(String(error));
    return false;
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}
