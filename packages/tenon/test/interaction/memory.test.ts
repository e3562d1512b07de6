// What both sides still hold of calls that are over: nothing, on whatever way a call ends, not even of the last one.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { McpServer, Client } from "tenon";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** What was there during the calls of one test, by what it was. */
class Probes {
  readonly #made: { readonly what: string; readonly ref: WeakRef<object> }[] = [];

  watch<T extends object>(what: string, value: T): T {
    this.#made.push({ what, ref: new WeakRef(value) });
    return value;
  }

  /** How much there was. */
  get made(): number {
    return this.#made.length;
  }

  /** What is still there. */
  left(): readonly string[] {
    collectGarbage();
    return this.#made.flatMap(({ what, ref }) => (ref.deref() === undefined ? [] : [what]));
  }
}

function probed(probes: Probes): McpServer {
  const server = testServer({ onError: () => undefined });
  const input = { type: "object" } as const;
  server.tool("sync", { input }, (args, ctx) => {
    probes.watch("arguments on the server", args);
    probes.watch("context", ctx);
    return probes.watch("result", { content: [{ type: "text" as const, text: "" }] });
  });
  server.tool("later", { input }, async (args, ctx) => {
    probes.watch("arguments on the server", args);
    probes.watch("context", ctx);
    await ctx.progress(1, 2);
    await new Promise(setImmediate);
    return probes.watch("result", { content: [] });
  });
  server.tool("throws", { input }, (_args, ctx) => {
    probes.watch("context", ctx);
    throw probes.watch("error", new Error("no"));
  });
  server.tool("waits", { input }, (_args, ctx) => {
    probes.watch("context", ctx);
    return new Promise<string>((resolve) => probes.watch("signal", ctx.signal).addEventListener("abort", () => resolve("")));
  });
  server.tool("asks", { input }, async (_args, ctx) => {
    probes.watch("context", ctx);
    return String(await ctx.confirm("sure", "Sure?"));
  });
  return server;
}

/** Every way a call ends. */
const WAYS: readonly ((client: Client, args: Record<string, unknown>, probes: Probes) => Promise<unknown>)[] = [
  (client, args) => client.callTool("sync", args),
  (client, args, probes) => client.callTool("later", args, { onProgress: probes.watch("callback", () => undefined) }),
  (client, args) => client.callTool("throws", args),
  (client, args) => client.callTool("asks", args),
  (client, args) => client.callTool("later", args, { signal: LIVES_ON }),
  (client, args) => client.callTool("waits", args, { timeout: 5 }),
  (client, args, probes) => {
    const abort = probes.watch("controller", new AbortController());
    const call = client.callTool("waits", args, { signal: abort.signal });
    setImmediate(() => abort.abort());
    return call;
  },
];
const LIVES_ON: AbortSignal = new AbortController().signal;

describeMatrix(
  "Of calls that are over, however they ended,",
  ({ connect }) => {
    it("nothing is held, on either side, not even of the last one [fault Z3 rule R5]", async () => {
      const probes = new Probes();
      const client = await connect(probed(probes), { onElicit: () => ({ action: "accept", content: { confirm: true } }) });
      for (let n = 0; n < 2; n++) {
        for (const way of WAYS) await way(client, probes.watch("arguments", { text: "x" }), probes).catch(() => undefined);
      }
      expect(probes.made).toBeGreaterThan(40);
      await expect.poll(() => probes.left()).toEqual([]);
    });
  },
  ["2025-11-25", "2026-07-28"],
);
