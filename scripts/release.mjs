// A release of all packages, from a clean tree on main. Each step is printed with its time, and an error says what to do next.
//   npm run release -- --dry-run         does everything that changes nothing, and says what the rest would do
//   npm run release                      the first release: the version that stands in package.json
//   npm run release -- minor             patch, minor, major, or a version
// If it was interrupted after the tag, the same command goes on. `--registry url` publishes elsewhere. `--without-check` leaves out the
// tests, and is only for a registry on this machine. docs/project/releasing.md says what must be set up once.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stagePackages } from "./package/stage.mjs";
import { packStaged } from "./package/tarball.mjs";
import { repository as root } from "./places.mjs";
import { assertReady, commitAndTag, isTagged, isTaggedHere, pushTag } from "./release/git.mjs";
import { canProve, publish, publishCommand } from "./release/publish.mjs";
import { tryReadme } from "./release/readme.mjs";
import { changesOf, currentVersion, nextVersion } from "./release/version.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "dry-run": { type: "boolean", default: false },
    registry: { type: "string" },
    "without-check": { type: "boolean", default: false },
  },
});
const isDry = values["dry-run"];
const isLoopback = values.registry !== undefined && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(values.registry).hostname);
const provenance = canProve();
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const out = join(root, "out", "release");

/** Runs one step; what it returns is printed behind its name. Ends the process if it fails. */
async function step(name, work) {
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1).padStart(6);
  try {
    const said = await work();
    console.log(`ok   ${seconds()} s  ${name}${said ? `: ${said}` : ""}`);
  } catch (error) {
    console.log(`FAIL ${seconds()} s  ${name}\n${error.message}\nNothing after this step was done.`);
    process.exit(1);
  }
}

/** A step that changes something: a dry run says what it would do. */
const change = (name, would, work) => (isDry ? step(name, () => `would ${would()}`) : step(name, work));

function npmRun(script) {
  const { status, stdout, stderr } = spawnSync("npm", ["run", script], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    shell: process.platform === "win32",
  });
  const lines = `${stdout}${stderr}`.trimEnd().split("\n");
  if (status !== 0)
    throw new Error(`${lines.slice(-60).join("\n")}\nMend it on a branch, and begin again: npm run ${script} shows the whole output.`);
  return lines.at(-1);
}

let [version, isGoingOn, changes, tarballs] = ["", false, { files: new Map(), notes: [] }, []];

await step("clean tree on main", () => assertReady(root));
await step("version", () => {
  const current = currentVersion(root);
  isGoingOn = isTaggedHere(root, current);
  version = isGoingOn ? current : nextVersion(current, positionals[0], isTagged(root, current));
  if (isGoingOn) return `${version}, whose tag is this commit: the release goes on`;
  const isFirst = version === current;
  changes = changesOf(root, version, { isFirst, date: new Date().toISOString().slice(0, 10) });
  return `${version}${isFirst ? ", the first one" : `, after ${current}`}; ${changes.notes.join("; ")}`;
});
await change(
  "write the version and the changelog",
  () => `write ${[...changes.files.keys()].join(", ") || "nothing"}`,
  () => {
    for (const [path, text] of changes.files) writeFileSync(join(root, path), text);
    return [...changes.files.keys()].join(", ");
  },
);
await step("build", () => void npmRun("build"));
await step("check", () => {
  if (!values["without-check"]) return npmRun("test:all" in scripts ? "test:all" : "test");
  if (!isLoopback) throw new Error("--without-check is only for a registry on this machine: leave it out.");
  return "left out";
});
await step("pack", () => {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  tarballs = stagePackages(root, join(out, "packages"), { version, provenance }).map((each) => ({
    ...each,
    file: packStaged(each.folder, out),
  }));
  return tarballs.map(({ file }) => file.slice(root.length + 1)).join(", ");
});
// The packages of a tag were tried before it was made.
if (!isGoingOn) {
  const files = tarballs.map(({ file }) => file);
  await step("the README in an empty folder", () => tryReadme(root, files));
  await change(
    "commit and tag",
    () => `commit "Release ${version}" and tag v${version}`,
    () => commitAndTag(root, version),
  );
}
for (const { name, file } of tarballs)
  await change(
    `publish ${name}`,
    () => publishCommand(file.slice(root.length + 1), { registry: values.registry, provenance }).join(" "),
    () => publish(name, version, file, { registry: values.registry, provenance }),
  );
await change(
  "push",
  () => `push main and v${version} to origin, both or none`,
  () => pushTag(root, version),
);
console.log(isDry ? "A dry run: nothing was written, published or pushed." : `Tenon ${version} is published.`);
