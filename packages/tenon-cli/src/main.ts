#!/usr/bin/env node
/**
 * The entry of the `tenon` command: enables Node's compile cache, if this Node has one, and then loads the rest.
 *
 * From the second start on nothing is compiled again. `NODE_DISABLE_COMPILE_CACHE=1` disables it.
 */
import * as module from "node:module";

// Node has it from 22.8 on; the types come from Node 20.
(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { runInProcess } = await import("./process-shell.ts");
await runInProcess(process.argv.slice(2));
