// A worker of Cloudflare's runtime serves the same interactions, with and without Node's globals around it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { allWell, runClient, runtime, startServer } from "./running.ts";
import { CHECKS, REVISIONS } from "./subset.mjs";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the worker into a folder of its own; returns the configuration to serve. */
async function bundleWorker(flags: readonly string[]): Promise<string> {
  mkdirSync(here("../../../../out"), { recursive: true });
  const folder = mkdtempSync(here("../../../../out/worker-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await build({
    entryPoints: [here("serve-workerd.mjs")],
    outfile: `${folder}/worker.js`,
    bundle: true,
    format: "esm",
    conditions: ["source", "workerd", "worker"],
    logLevel: "error",
  });
  const config = readFileSync(here("workerd.capnp"), "utf8").replace("[FLAGS]", JSON.stringify(flags));
  writeFileSync(`${folder}/workerd.capnp`, config);
  return `${folder}/workerd.capnp`;
}

test.for([
  // With it a client that leaves aborts its request.
  { around: "the web's globals", flags: ["enable_request_signal"] },
  { around: "Node's globals", flags: ["enable_request_signal", "nodejs_compat"] },
])("workerd with $around serves what a client on Node asks [fault Z7]", async ({ flags }, context) => {
  const workerd = runtime("workerd", context);
  const url = await startServer(workerd, await bundleWorker(flags));
  expect(await runClient([process.execPath], url, REVISIONS)).toEqual(allWell(CHECKS, REVISIONS));
});
