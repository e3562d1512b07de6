/** The server that each node of a proof serves. Every effect goes to a ledger outside of the engine. */
import { setTimeout as sleep } from "node:timers/promises";
import { McpServer } from "tenon/server";
import type { StateStore } from "tenon/server";
import * as z from "zod";
import { COUNT, REGISTERS } from "./history.ts";

const input = z.object({ id: z.string() });
const KEYS = ["a key that all nodes of the proof have"];

export interface ServerOptions {
  /** Writes an effect of an operation to the ledger. */
  readonly effect: (operation: string) => void;
  /** Where states are kept. Default: the workers of one program share them. */
  readonly states?: StateStore;
  /** Milliseconds that work takes, so that faults meet it. */
  readonly work: number;
}

export function makeServer({ effect, states, work }: ServerOptions): McpServer {
  const server = new McpServer(
    { name: "proof", version: "1" },
    { requestState: { keys: KEYS, ...(states && { store: states }) }, onError: () => undefined },
  );

  server.tool("call", { input }, async ({ id }) => {
    effect(id);
    await sleep(work);
    return `called ${id}`;
  });

  server.tool("count", { input }, async ({ id }, ctx) => {
    for (let number = 1; number <= COUNT; number++) {
      await sleep(work);
      await ctx.progress(number, COUNT);
    }
    return `counted ${id}`;
  });

  server.tool("ask", { input }, async ({ id }, ctx) => {
    const { content } = await ctx.elicit("nonce", { message: id, schema: z.object({ nonce: z.string() }) });
    await ctx.step("effect", () => effect(id));
    await sleep(work);
    return `asked ${id}: ${content?.nonce ?? "declined"}`;
  });
  for (const uri of REGISTERS) server.resource(uri, {}, () => uri);
  server.tool("change", { input: input.extend({ uri: z.string() }) }, ({ id, uri }) => {
    effect(id);
    server.resourceUpdated(uri);
    return `changed ${id}`;
  });
  return server;
}
