// Builds the page of `tenon inspect`: one script, one style and one document. The command's process serves these three files and no other.
// It is minified, because a browser loads it, and the same sources give the same bytes.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = fileURLToPath(new URL("../src/inspector/page/", import.meta.url));

/** Writes the files to `folder`. Returns the modules that went in, as absolute paths, for the list of licences. */
export async function buildInspectorPage(folder) {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(source, "main.tsx")],
    outfile: join(folder, "page.js"),
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    // Tenon goes in as source, of which the page uses a small part: what it does not use, Node's modules among it, is left out.
    conditions: ["source"],
    external: ["node:*"],
    target: ["chrome111", "firefox115", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
    logLevel: "error",
  });
  const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  if (left.length > 0) throw new Error(`The page of the inspector would need what a browser does not have: ${left.join(", ")}`);
  await build({
    entryPoints: [join(source, "page.css")],
    outfile: join(folder, "page.css"),
    bundle: true,
    minify: true,
    logLevel: "error",
  });
  copyFileSync(join(source, "index.html"), join(folder, "index.html"));
  return Object.keys(metafile.inputs).map((name) => join(root, name));
}
