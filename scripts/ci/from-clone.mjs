// A project beside a clone, as the README says: packs what is built here, installs it in a new folder, and runs the README's server.
// Run it after the README's commands of the clone; it takes what is typed from the README, so that both cannot part.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(`${root}README.md`, "utf8");

/** The one match in the README. */
function typed(pattern) {
  const found = pattern.exec(readme)?.[1];
  if (found === undefined) throw new Error(`The README has no ${pattern}`);
  return found;
}

const packing = typed(/^(npm run build && npm run pack)/m);
const [starting, installing] = [typed(/^(npm init -y [^#\n]*)/m), typed(/^(npm install \.\.\/tenon[^#\n]*)/m)];
const [server, call] = [typed(/```ts \[server\.ts\]\n(.*?)```/s), typed(/```console output\n\$ (npx tenon call [^\n]*)/)];
const output = typed(/```console output\n\$ npx tenon call [^\n]*\n(.*?)```/s);

const folder = mkdtempSync(join(tmpdir(), "tenon-from-clone-"));
try {
  execFileSync("sh", ["-c", packing], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  symlinkSync(root, join(folder, "tenon"), "junction");
  const project = join(folder, "project");
  mkdirSync(project);
  execFileSync("sh", ["-c", `${starting} && ${installing}`], { cwd: project, stdio: ["ignore", "ignore", "inherit"] });
  writeFileSync(join(project, "server.ts"), server);
  const { stdout, stderr } = spawnSync("sh", ["-c", call], { cwd: project, encoding: "utf8" });
  if (stdout !== output) throw new Error(`${call} printed ${stdout}${stderr}`);
  console.log(`a new project beside this clone: ${call} printed ${JSON.stringify(JSON.parse(stdout))}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
