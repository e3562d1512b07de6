// The same interactions under every runtime Tenon is for: served by it, and called from it.
import { expect, test } from "vitest";
import { allWell, runClient, runtime, startServer, stdioServer } from "./running.ts";
import { CHECKS, REVISIONS } from "./subset.mjs";

const expected = allWell(CHECKS, REVISIONS);

test.for([
  ["node-22", "serve-node.mjs"],
  ["node-24", "serve-node.mjs"],
  ["node-26", "serve-node.mjs"],
  ["bun", "serve-bun.mjs"],
  ["deno", "serve-deno.mjs"],
] as const)("%s serves what a client on Node asks [fault Z7]", async ([name, program], context) => {
  const url = await startServer(runtime(name, context), program);
  expect(await runClient([process.execPath], url, REVISIONS)).toEqual(expected);
});

test.for(["node-22", "node-24", "node-26", "bun", "deno"] as const)(
  "a client on %s calls a server on Node [fault Z7]",
  async (name, context) => {
    const client = runtime(name, context);
    const url = await startServer([process.execPath], "serve-node.mjs");
    expect(await runClient(client, url, REVISIONS)).toEqual(expected);
  },
);

test.for(["node-22", "node-24", "node-26", "bun", "deno"] as const)(
  "%s serves itself over stdio [fault Z7]",
  async (name, context) => {
    const command = runtime(name, context);
    expect(await runClient(command, stdioServer(command), REVISIONS)).toEqual(expected);
  },
);
