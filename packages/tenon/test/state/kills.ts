/** Nodes that are killed while they count and pay, and what clients and the payment service saw of it. */
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { connect, type Client } from "tenon/client";
import type { Engine } from "../stores/engines.ts";
import { NodeProcesses } from "../stores/node-processes.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/node.mjs", import.meta.url));
let spaces = 0;

export interface Killing {
  readonly nodes: NodeProcesses;
  readonly client: Client;
}

/** @param count nodes: one more than are killed, at least */
export async function started(engine: Engine, count: number): Promise<Killing> {
  const nodes = await NodeProcesses.start(engine, `effects_${++spaces}`, { count, program: PROGRAM });
  const client = await connect({ url: nodes.url, fetch: nodes.fetch }, { revision: "2026-07-28" });
  onTestFinished(() => client.close());
  return { nodes, client };
}

/** Makes a call until it has a result, as a client does whose node went away. */
export async function untilDone(client: Client, name: string, given: Record<string, string>): Promise<string> {
  for (;;) {
    try {
      const { text, isError } = await client.callTool(name, given, { timeout: 60_000 });
      if (!isError) return text;
    } catch {
      // its node was killed, or the client lost the connection to it
    }
  }
}

/** Pays with a node that dies between the effect and the record of it. Returns what the payment service did. */
export async function payWithKill(
  { nodes, client }: Killing,
  tool: string,
  id: string,
  hang: "inside" | "after",
): Promise<string[]> {
  const paying = untilDone(client, tool, { id, hang });
  await expect.poll(() => nodes.effects, { timeout: 60_000 }).toContain(`hang ${id}`);
  const waiting = untilDone(client, tool, { id, hang });
  await nodes.killBusiest();
  expect([await paying, await waiting]).toEqual(["paid", "paid"]);
  return nodes.effects.filter((effect) => effect.startsWith(`charge ${id} `));
}

/** Counts with several callers while nodes are killed. Returns the counts that were confirmed, and the last one. */
export async function countWithKills(
  { nodes, client }: Killing,
  tool: string,
  kills: number,
): Promise<{ seen: number[]; last: number }> {
  const seen: number[] = [];
  const stop = new AbortController();
  const counting = Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted) seen.push(Number(await untilDone(client, tool, {})));
  });
  for (let kill = 1; kill <= kills; kill++) {
    const before = seen.length;
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(before + 8);
    await nodes.killBusiest();
  }
  const before = seen.length;
  await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(before + 8);
  stop.abort();
  await Promise.all(counting);
  return { seen, last: Number(await untilDone(client, tool, {})) };
}
