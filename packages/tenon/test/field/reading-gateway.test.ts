/** What a gateway reads of its clients and of its servers: who is told, and what `strict` refuses. */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, type JsonObject } from "tenon";
import { createGateway, type DeviationWriter, type Gateway, type GatewayEntry, type GatewayOptions } from "tenon/gateway";
import { failureOf } from "../support/failure-of.ts";
import { RawClient } from "../support/raw-client.ts";
import { oddServer } from "./odd-server.ts";

type Told = [kind: string, writer: DeviationWriter][];

/** A gateway in front of a server whose tool has a title that is null. */
async function gatewayOf(
  options: Omit<GatewayOptions, "servers"> = {},
  own: object = {},
): Promise<{ gateway: Gateway; told: Told }> {
  const tool = { name: "t", title: null, inputSchema: { type: "object" } };
  const results: JsonObject = {
    "tools/list": { tools: [tool] },
    "tools/call": { content: [{ type: "text", text: "hi" }], _meta: null },
  };
  const url = await oddServer((method) => results[method] as JsonObject | undefined, {
    opening: { capabilities: { tools: {} } },
  });
  const told: Told = [];
  const gateway = createGateway({
    servers: { odd: { url, ...own } as GatewayEntry },
    readyTimeout: Infinity,
    onDeviation: ({ kind }, writer) => told.push([kind, writer]),
    onError: () => undefined,
    ...options,
  });
  onTestFinished(() => gateway.close());
  return { gateway, told };
}

it("a gateway says once what its clients and its servers write, and who it was [FD-03 FD-04]", async () => {
  const { gateway, told } = await gatewayOf();
  const client = new RawClient(gateway);
  await client.initialize("2025-06-18");
  for (const id of [1, 2]) await client.send({ jsonrpc: "2.0", id, method: "tools/list", params: { cursor: null } });
  await expect
    .poll(() => told, { timeout: 30_000 })
    .toEqual([
      ["null", { client: { name: "raw", version: "0" } }],
      ["null", { server: "odd" }],
    ]);
});

it("the option of an entry is called for its server in the place of the gateway's [FD-04]", async () => {
  const own: unknown[] = [];
  const { gateway, told } = await gatewayOf({}, { onDeviation: (_deviation: unknown, server: string) => own.push(server) });
  await using client = await connect(gateway);
  expect((await client.listTools()).tools).toMatchObject([{ name: "odd__t" }]);
  expect([own, told]).toEqual([["odd"], []]);
});

it.each(["2024-11-05", "2025-11-25", "2026-07-28"] as const)(
  "the tools of a server of %s are written as any revision has them, whatever deviates in them at any depth [FD-97 FD-04 FD-38]",
  async (version) => {
    const properties = {
      a: null,
      b: { type: "string", description: null, enum: null, default: null },
      c: { type: "object", properties: [] },
    };
    const tool = {
      name: "t",
      annotations: { readOnlyHint: null },
      inputSchema: { type: "object", properties },
      outputSchema: { type: "object", properties: { n: { type: "integer", minimum: null } }, required: null },
    };
    const url = await oddServer((method) => (method === "tools/list" ? { tools: [tool] } : undefined), { version });
    const gateway = createGateway({ servers: { odd: { url } }, readyTimeout: Infinity, onError: () => undefined });
    onTestFinished(() => gateway.close());
    for (const revision of ["2024-11-05", "2025-11-25", "2026-07-28"] as const) {
      await using client = await connect(gateway, { revision, strict: true });
      const [read] = (await client.listTools()).tools;
      expect(read!.inputSchema).toEqual({
        type: "object",
        properties: { b: { type: "string", default: null }, c: { type: "object", properties: {} } },
      });
      expect(read!.annotations ?? {}).toEqual({});
      const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
      expect(read!.outputSchema ?? outputSchema).toEqual(outputSchema);
    }
  },
);

describe("a strict gateway", () => {
  it.each(["2025-06-18", "2025-11-25"] as const)("refuses requests of clients that deviate, on %s [FD-03]", async (version) => {
    const { gateway } = await gatewayOf({ strict: true });
    const client = new RawClient(gateway);
    await client.initialize(version);
    const response = await client.request("prompts/list", { cursor: null });
    expect(response).toMatchObject({ error: { code: -32602, data: "params.cursor is null" } });
  });

  it("refuses what its servers write, but for one whose entry is not strict [FD-04]", async () => {
    const strict = await gatewayOf({ strict: true });
    await using refused = await connect(strict.gateway);
    expect((await failureOf(refused.callTool("odd__t"))).message).toBe('Malformed result of "tools/call": result._meta is null');
    const lenient = await gatewayOf({ strict: true }, { strict: false });
    await using client = await connect(lenient.gateway);
    expect((await client.callTool("odd__t")).text).toBe("hi");
  });
});
