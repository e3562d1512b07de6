// Packs a folder that was made for npm.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Returns the tarball, in the folder `to`. @throws Error with what npm says */
export function packStaged(folder, to) {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", to];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8", shell: process.platform === "win32" });
  if (status !== 0) throw new Error(`npm pack failed in ${folder}:\n${stderr}`);
  const [{ filename }] = Object.values(JSON.parse(stdout)); // a list, and by name from npm 12 on
  return join(to, filename.replace(/^@/, "").replace("/", "-"));
}
