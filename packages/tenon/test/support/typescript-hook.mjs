// Lets Node 20 run TypeScript files, as newer releases do without help: the types are taken out, nothing is checked.
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { transformSync } from "esbuild";

// Node runs the hooks in a thread of their own, which imports this file again.
if (isMainThread) register(import.meta.url);

export function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const { code } = transformSync(readFileSync(fileURLToPath(url), "utf8"), { loader: "ts", target: "node20", sourcefile: url });
  return { format: "module", source: code, shortCircuit: true };
}
