// Puts the layer in the place of the official SDK in an installed server, wherever its packages find it, and takes it out again. This is
// what the entry `overrides` of a package.json comes to: what the layer needs and the server has, such as zod, is the server's.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository, sdkV1, tenon } from "../../scripts/places.mjs";

const ORIGINAL = "sdk.original";
const OFFICIAL = join(repository, "node_modules/mcp-sdk-v1");

/** Each folder of the official SDK below `node_modules`, nested ones too. */
function* sdksIn(modules) {
  if (!existsSync(modules)) return;
  for (const name of readdirSync(modules)) {
    const inScope = name.startsWith("@") ? readdirSync(join(modules, name)).map((own) => join(name, own)) : [name];
    for (const own of inScope) {
      if (own === join("@modelcontextprotocol", "sdk")) yield join(modules, own);
      else yield* sdksIn(join(modules, own, "node_modules"));
    }
  }
}

const originalOf = (sdk) => join(sdk, "..", ORIGINAL);
const read = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

/** Puts everything back: also what a run left that was ended. */
export function takeOut(folder) {
  for (const sdk of [...sdksIn(join(folder, "node_modules"))]) {
    if (!existsSync(originalOf(sdk))) continue;
    rmSync(sdk, { recursive: true, force: true });
    renameSync(originalOf(sdk), sdk);
  }
}

/** What a package finds from a folder. */
function foundFrom(folder, name) {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
  }
  return undefined;
}

/** Whether what the server has serves the official package: of the same major version, and zod with both of its versions inside. */
function serves(found, name, range) {
  if (name === "zod") return existsSync(join(found, "v4"));
  const major = /\d+/.exec(range)?.[0];
  return read(found).version.startsWith(`${major}.`);
}

/** Copies the official package that the layer needs, and links what the server does not have. */
function placeOfficial(sdk) {
  const place = join(sdk, "node_modules/mcp-sdk-v1");
  mkdirSync(dirname(place), { recursive: true });
  cpSync(OFFICIAL, place, { recursive: true });
  for (const [name, range] of Object.entries(read(OFFICIAL).dependencies)) {
    const found = foundFrom(dirname(sdk), name);
    if (found !== undefined && serves(found, name, range)) continue;
    const link = join(place, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(foundFrom(OFFICIAL, name), link);
  }
}

/** Puts the layer in place. Returns the versions that it stands for. */
export function putIn(folder) {
  takeOut(folder);
  const versions = [];
  for (const sdk of [...sdksIn(join(folder, "node_modules"))]) {
    versions.push(read(sdk).version);
    renameSync(sdk, originalOf(sdk));
    mkdirSync(sdk);
    for (const name of ["package.json", "dist"]) cpSync(join(sdkV1, name), join(sdk, name), { recursive: true });
    placeOfficial(sdk);
    symlinkSync(tenon, join(sdk, "node_modules/tenon"));
  }
  return versions;
}
