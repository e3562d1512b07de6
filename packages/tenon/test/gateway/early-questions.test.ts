/**
 * Questions that a server asks a gateway while no call runs: they wait for the next call, and there is a limit to how many and
 * how large.
 */
import { expect, it, onTestFinished } from "vitest";
import { connect, type Client, type JsonObject } from "tenon";
import { createGateway } from "tenon/gateway";
import { createFetchHandler } from "tenon/server";
import { VirtualClock } from "tenon/testing";
import { result, scriptedServer } from "../support/scripted-server.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";
import { byName } from "./support.ts";

let server: ScriptedTransport;
let client: Client;
/** What the client was asked. */
let asked: string[];

/** A client of a gateway whose server has a connection for it, and no call of it runs. */
async function begin(clock?: VirtualClock): Promise<void> {
  asked = [];
  server = scriptedServer({
    initialize: result({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "early", version: "1" },
    }),
    "tools/list": result({ tools: [{ name: "work", inputSchema: { type: "object" } }] }),
    // It ends when its question was answered.
    "tools/call": (call) => void (running = call),
  });
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { target: server, revision: "2025-11-25" } },
    ...(clock && { clock }),
    onError: () => undefined,
  });
  const handler = createFetchHandler(gateway, { auth: byName });
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(url, init));
  client = await connect(
    { url: "http://localhost/mcp", headers: { authorization: "ada" }, fetch },
    {
      revision: "2026-07-28",
      onElicit: ({ message }) => {
        asked.push(message);
        return { action: "decline" };
      },
    },
  );
  onTestFinished(async () => {
    await client.close();
    await gateway.close();
    await handler.close();
  });
  const first = client.callTool("up__work");
  await expect.poll(() => running).toBeDefined();
  end();
  await first;
}

let running: JsonObject | undefined;
function end(): void {
  server.push({ jsonrpc: "2.0", id: running!["id"], result: { content: [] } });
  running = undefined;
}

function ask(name: string, message = name): void {
  const params = { message, requestedSchema: { type: "object", properties: {} } };
  server.push({ jsonrpc: "2.0", id: name, method: "elicitation/create", params });
}

/** What the server got for the questions with these names. */
function responses(names: readonly string[]): unknown[] {
  return names.map((name) => {
    const response = server.sent.find(({ id, method }) => id === name && method === undefined);
    return response && (response["result"] ?? (response["error"] as JsonObject)["message"]);
  });
}

const NO_CALL = 'No caller of the gateway can be asked for "elicitation/create"';
const DECLINED = { action: "decline" };

it("reach the client of the next call", async () => {
  await begin();
  ask("a");
  ask("b");
  const call = client.callTool("up__work");
  await expect.poll(() => responses(["a", "b"])).toEqual([DECLINED, DECLINED]);
  expect(asked.toSorted()).toEqual(["a", "b"]);
  end();
  await call;
});

it("fail when no call has come for a minute", async () => {
  const clock = new VirtualClock();
  await begin(clock);
  ask("a");
  await clock.advance(0); // the gateway has read it
  await clock.advance(59_999);
  expect(responses(["a"])).toEqual([undefined]);
  await clock.advance(1);
  await expect.poll(() => responses(["a"])).toEqual([NO_CALL]);
});

it("are sixteen at most", async () => {
  await begin();
  const names = Array.from({ length: 18 }, (_, at) => `q${at}`);
  for (const name of names) ask(name);
  await expect.poll(() => responses(names).slice(16)).toEqual([NO_CALL, NO_CALL]);
  const call = client.callTool("up__work");
  await expect.poll(() => responses(names).slice(0, 16)).toEqual(names.slice(0, 16).map(() => DECLINED));
  end();
  await call;
});

it("have a million characters together at most, and those that were answered leave their room", async () => {
  await begin();
  const large = "x".repeat(400_000);
  const call = async (turn: number): Promise<void> => {
    const called = client.callTool("up__work");
    await expect.poll(() => asked.length).toBe(2 * turn);
    end();
    await called;
  };
  for (const turn of [1, 2]) {
    const names = [`a${turn}`, `b${turn}`, `c${turn}`];
    for (const name of names) ask(name, large);
    await expect.poll(() => responses(names)).toEqual([undefined, undefined, NO_CALL]);
    await call(turn);
    await expect.poll(() => responses(names)).toEqual([DECLINED, DECLINED, NO_CALL]);
  }
});
