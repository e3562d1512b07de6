// Lets Node 20 run TypeScript files, as newer releases do without help: the types are taken out, nothing is checked. A file that
// has its JavaScript beside it (`server.ts`: `.server.ts.js`) costs no compiler in the program that loads it.
import { existsSync, readFileSync } from "node:fs";
import * as module from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

// Newer releases run hooks in the thread of the program. Node 20 runs them in one of their own, which imports this file again.
if (module.registerHooks !== undefined) module.registerHooks({ load });
else if (isMainThread) module.register(import.meta.url);

/** Loaded with the first file that needs it: many programs are started that way. */
let transformSync;

function compiled(file) {
  transformSync ??= module.createRequire(import.meta.url)("esbuild").transformSync;
  return transformSync(readFileSync(file, "utf8"), { loader: "ts", target: "node20", sourcefile: file }).code;
}

export function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const beside = join(dirname(file), `.${basename(file)}.js`);
  const source = existsSync(beside) ? readFileSync(beside, "utf8") : compiled(file);
  return { format: "module", source, shortCircuit: true };
}
