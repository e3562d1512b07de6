/**
 * What a bundle of `tenon bundle` starts: `node serve-file.js server.ts` serves the file on stdin and stdout.
 *
 * It is `tenon run` without the other commands, so that bundles need not carry them.
 */
import * as module from "node:module";
import { resolve } from "node:path";
import { loadServed, serveOnStdio } from "./commands/serve-on-stdio.ts";

// Node has it from 22.8 on; the types come from Node 20.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const [file, ...words] = process.argv.slice(2);
try {
  if (file === undefined) throw new Error("The file of the server is missing: node serve-file.js server.ts");
  await serveOnStdio(await loadServed(resolve(file), file, words), file);
} catch (error) {
  if (!(error instanceof Error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
