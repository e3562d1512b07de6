// The newcomer's film: from an empty folder to a server in a host and in a bundle, with the packed packages, by the commands that
// a newcomer types. It prints each scene, and fails at the first that is not as expected.
//   npm run film                 builds, packs, and plays all scenes
//   npm run film -- --no-build   the same with what was built before
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./programs.mjs";
import { startRegistry } from "./registry.mjs";
import { Scenes } from "./scenes.mjs";
import { endWithReader } from "../../scripts/stdout.mjs";

endWithReader();

const root = fileURLToPath(new URL("../..", import.meta.url));
const SCENES = [
  ["create", "npm create tenon weather"],
  ["test", "npm run types, npm test"],
  ["dev", "tenon dev src/server.ts"],
  ["page", "the page of tenon dev, and a call in the browser"],
  ["change", "a change is saved while a client is connected"],
  ["install", "tenon install src/server.ts --host cursor"],
  ["host", "the host starts the server"],
  ["types", "tenon types src/server.ts -o src/weather.ts"],
  ["bundle", "tenon bundle src/server.ts"],
];

/** Packs a package as it is published. */
async function pack(name, to) {
  const file = (await run(process.execPath, [join(root, "scripts/pack.mjs"), "--only", name, "--to", to], { cwd: root })).trim();
  return { file, manifest: JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) };
}

/**
 * A cache of npm that has what was downloaded before, but no program that an earlier `npm create` has installed: it would be run
 * again.
 */
async function cacheIn(folder) {
  const cache = join(folder, "npm");
  const downloaded = join((await run("npm", ["config", "get", "cache"], { cwd: root })).trim(), "_cacache");
  for (const each of [cache, downloaded]) mkdirSync(each, { recursive: true });
  symlinkSync(downloaded, join(cache, "_cacache"), "junction");
  return cache;
}

async function play(scenes) {
  for (const [at, [name, typed]] of SCENES.entries()) {
    const began = performance.now();
    process.stdout.write(`${at + 1}. ${typed}\n`);
    const happened = await scenes[name]();
    console.log(`   ${((performance.now() - began) / 1000).toFixed(1)} s: ${happened}`);
  }
}

if (!process.argv.includes("--no-build")) {
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(1);
}
const began = performance.now();
const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-film-")));
mkdirSync(join(folder, "home"));
const elsewhere = (await run("npm", ["config", "get", "registry"], { cwd: root })).trim();
const tarballs = [];
for (const name of ["tenon", "tenon-cli", "create-tenon"]) tarballs.push(await pack(name, folder));
const registry = await startRegistry(tarballs, elsewhere);
const scenes = new Scenes({ folder, registry: registry.url, cache: await cacheIn(folder) });
try {
  await play(scenes);
  console.log(`\n${SCENES.length} scenes in ${((performance.now() - began) / 1000).toFixed(1)} s: all as expected`);
} catch (error) {
  console.log(`   not as expected: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await scenes.end();
  registry.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
