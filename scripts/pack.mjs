// Packs the packages as users get them, and prints the tarballs, one a line. Needs a build.
//   node scripts/pack.mjs                      all of them, into out/ (`npm run pack`)
//   node scripts/pack.mjs --only tenon --to folder
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { stagePackages } from "./package/stage.mjs";
import { packStaged } from "./package/tarball.mjs";
import { repository } from "./places.mjs";
import { endWithReader } from "./stdout.mjs";

endWithReader();

const { values } = parseArgs({ options: { only: { type: "string" }, to: { type: "string", default: join(repository, "out") } } });
const to = resolve(values.to);
mkdirSync(to, { recursive: true });
// Tests pack side by side: each has folders of its own.
const staging = mkdtempSync(join(tmpdir(), "tenon-stage-"));
try {
  for (const { name, folder } of stagePackages(repository, staging))
    if (values.only === undefined || values.only === name) console.log(packStaged(folder, to));
} finally {
  rmSync(staging, { recursive: true, force: true });
}
