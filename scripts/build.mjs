// Builds `dist/` of each package that has one: the library, then the command and the layer for the official SDK 1.x, which use it (build-package.mjs says how).
// Does nothing if nothing has changed since the last build (built.mjs), so that every command which needs a build begins with one.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildInspectorPage } from "../packages/tenon-cli/scripts/inspector-page.mjs";
import { writeDocsPages } from "../packages/tenon-cli/scripts/docs-pages.mjs";
import { buildPackage } from "./build-package.mjs";
import { buildSdkV1 } from "./build-sdk-v1.mjs";
import { isBuilt, markBuilt } from "./built.mjs";
import { chunkLayout } from "./chunk-layout.mjs";
import { writePackageTexts } from "./package/texts.mjs";
import { command, repository, tenon } from "./places.mjs";
import { thirdParty } from "./third-party.mjs";

/** What the libraries of the command load and never use there: a formatter of 1.6 MiB, colours, options of a command line. */
const UNUSED = { prettier: "format", "cli-color": "default", minimist: "default", tinyglobby: "glob" };
const withoutUnused = {
  name: "without-unused",
  resolveId: (id) => (id in UNUSED ? `\0unused:${id}` : null),
  load: (id) =>
    id.startsWith("\0unused:") ? `export const ${UNUSED[id.slice("\0unused:".length)].replace("default", "unused")} = undefined;` : null,
};

if (isBuilt()) process.exit();

const inLibrary = await buildPackage(tenon, { layout: chunkLayout });
writeFileSync(join(tenon, "dist/THIRD-PARTY.md"), thirdParty("tenon", inLibrary));
writePackageTexts(repository, tenon);

// What bundles of servers start has the little that it uses of Tenon's inner parts in it: they carry nothing else of the command.
const alone = { "serve-file": { "tenon/internal": join(tenon, "src/internal/index.ts") } };
const inCommand = await buildPackage(command, { plugins: [withoutUnused], alone });
const inPage = await buildInspectorPage(join(command, "dist/inspector"));
writeDocsPages(join(command, "dist/docs-pages.json.gz"));
writeFileSync(join(command, "dist/THIRD-PARTY.md"), thirdParty("tenon-cli", [...inCommand, ...inPage]));

await buildSdkV1();
markBuilt();
