/**
 * Three processes and one engine: the rounds of a call (MCP 2026-07-28) come to all nodes in turn, and nodes are killed or
 * stopped. A handler goes on where it waits, or runs again elsewhere; its step has one effect.
 */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, type TestContext } from "vitest";
import type { CallToolResult, InputRequiredResult } from "tenon";
import { connect, type Client, type ConnectOptions } from "tenon/client";
import { assertStarted, startEngine, type Engine } from "../stores/engines.ts";
import { NodeProcesses } from "../stores/node-processes.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/node.mjs", import.meta.url));
const PAY = { name: "pay", arguments: {} };
const ANSWERS = { inputResponses: { sure: { action: "accept", content: { confirm: true } } } };

describe.each(["redis", "postgres", "nats"] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = await startEngine(name)));
  afterAll(() => engine?.stop());

  async function started(context: TestContext, options: ConnectOptions = {}): Promise<{ nodes: NodeProcesses; client: Client }> {
    const nodes = await NodeProcesses.start(assertStarted(engine, name, context), `rounds_${++spaces}`, { program: PROGRAM });
    const onElicit: ConnectOptions["onElicit"] = () => ({ action: "accept", content: {} });
    const client = await connect({ url: nodes.url, fetch: nodes.fetch }, { revision: "2026-07-28", onElicit, ...options });
    onTestFinished(() => client.close());
    return { nodes, client };
  }

  /** Begins a call whose handler asks. Returns the request with the answers, which goes to the next node. */
  async function asked(client: Client): Promise<typeof PAY> {
    const { requestState } = (await client.request("tools/call", PAY)) as InputRequiredResult; // it asks
    return { ...PAY, ...ANSWERS, requestState: requestState! } as typeof PAY;
  }

  const textOf = (result: object): string => ((result as CallToolResult).content[0] as { text: string }).text;

  test("a handler goes on where it waits, whichever nodes the rounds come to, and its progress arrives", async (context) => {
    const { nodes, client } = await started(context);
    const seen: number[] = [];
    for (let call = 0; call < 6; call++) {
      const { text } = await client.callTool("book", {}, { onProgress: ({ progress }) => seen.push(progress) });
      expect(text).toBe("booked");
    }
    expect(nodes.effects).toEqual(Array.from({ length: 6 }, () => ["begin", "pay", "send"]).flat());
    expect(seen).toEqual(Array.from({ length: 6 }, () => [1, 2]).flat());
    expect(nodes.busyNodes).toBeGreaterThan(1);
  });

  test("a handler runs again if its node was killed before the round", async (context) => {
    const { nodes, client } = await started(context, { limits: { maxRounds: 0 } });
    const call = { name: "book", arguments: {} };
    const { requestState } = (await client.request("tools/call", call)) as InputRequiredResult; // it asks
    await nodes.killBusiest();
    const inputResponses = { first: { action: "accept", content: {} } };
    const next = await client.request("tools/call", { ...call, requestState, inputResponses } as typeof call);
    expect(next.resultType).toBe("input_required");
    expect(nodes.effects).toEqual(["begin", "begin", "pay"]);
  });

  test("a handler runs again if its node is killed during the round", async (context) => {
    const { nodes, client } = await started(context, { limits: { maxRounds: 0 } });
    const round = await asked(client);
    const paying = client.request("tools/call", round);
    paying.catch(() => undefined);
    await expect.poll(() => nodes.effects, { timeout: 60_000 }).toEqual(["begin", "works"]);
    await nodes.killBusiest();
    expect(textOf(await paying)).toBe("paid");
    expect(nodes.effects).toEqual(["begin", "works", "begin", "works", "pay"]);
  });

  test("a handler runs again if its node stands still, and the node that wakes repeats no step", async (context) => {
    const { nodes, client } = await started(context, { limits: { maxRounds: 0 } });
    const round = await asked(client);
    const paying = client.request("tools/call", round);
    paying.catch(() => undefined);
    await expect.poll(() => nodes.effects, { timeout: 60_000 }).toEqual(["begin", "works"]);
    const { goOn } = nodes.pauseBusiest();
    expect(textOf(await paying)).toBe("paid");
    goOn();
    await expect.poll(() => nodes.effects, { timeout: 60_000 }).toEqual(["begin", "works", "begin", "works", "pay", "refused"]);
  });
});
