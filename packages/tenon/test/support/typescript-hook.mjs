// Lets Node 20 run TypeScript files, as newer releases do without help: the types are taken out, nothing is checked.
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";

// Node runs the hooks in a thread of their own, which imports this file again.
if (isMainThread) register(import.meta.url);

/** Loaded in that thread alone, with the first file: many programs are started that way. */
let transformSync;

export async function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  transformSync ??= (await import("esbuild")).transformSync;
  const { code } = transformSync(readFileSync(fileURLToPath(url), "utf8"), { loader: "ts", target: "node20", sourcefile: url });
  return { format: "module", source: code, shortCircuit: true };
}
