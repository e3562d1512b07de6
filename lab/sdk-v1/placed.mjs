// Puts the layer in the place of the official SDK in an installed server, wherever its packages find it, and takes it out again. This is
// what the entry `overrides` of a package.json comes to.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { sdkV1 } from "../../scripts/places.mjs";

const ORIGINAL = "sdk.original";

/** Each folder of the official SDK below `node_modules`, nested ones too. */
function* sdksIn(modules) {
  if (!existsSync(modules)) return;
  for (const name of readdirSync(modules)) {
    const inScope = name.startsWith("@") ? readdirSync(join(modules, name)).map((own) => join(name, own)) : [name];
    for (const own of inScope) {
      if (own === join("@modelcontextprotocol", "sdk")) yield join(modules, own);
      yield* sdksIn(join(modules, own, "node_modules"));
    }
  }
}

const originalOf = (sdk) => join(sdk, "..", ORIGINAL);

/** Puts everything back: also what a run left that was ended. */
export function takeOut(folder) {
  for (const sdk of [...sdksIn(join(folder, "node_modules"))]) {
    if (!existsSync(originalOf(sdk))) continue;
    rmSync(sdk);
    renameSync(originalOf(sdk), sdk);
  }
}

/** Puts the layer in place. Returns the versions that it stands for. */
export function putIn(folder) {
  takeOut(folder);
  const versions = [];
  for (const sdk of [...sdksIn(join(folder, "node_modules"))]) {
    versions.push(JSON.parse(readFileSync(join(sdk, "package.json"), "utf8")).version);
    renameSync(sdk, originalOf(sdk));
    symlinkSync(sdkV1, sdk);
  }
  return versions;
}
