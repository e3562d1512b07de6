/** `gateway.use(otel())`: one trace from the client through the gateway to the server, and metrics by server. */
import { expect, it, onTestFinished } from "vitest";
import { createGateway } from "tenon/gateway";
import { otel } from "tenon/otel";
import { metering } from "../otel/metering.ts";
import { lineage, recording } from "../otel/recording.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const recorded = recording();

describeMatrix("spans", ({ connect: open }) => {
  it("makes a span in front and one to the server, in the caller's trace, and measures calls and errors by server", async () => {
    const server = testServer({ name: "shop" });
    server.tool("buy", {}, (_input, ctx) => String((ctx.meta as { traceparent?: string }).traceparent));
    const metered = metering();
    const gateway = createGateway({ readyTimeout: 60_000, servers: { shop: server }, onError: () => undefined });
    onTestFinished(() => gateway.close());
    gateway.use(otel({ metrics: { meterProvider: metered.provider } }));
    const client = await open(gateway);
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const { text } = await client.callTool("shop__buy", {}, { meta: { traceparent } });
    await client.callTool("shop__none").catch(() => undefined);

    const front = recorded.one("tools/call shop__buy");
    const back = recorded.one("MCP send tools/call buy");
    expect(lineage(front)).toEqual({ traceId, parent: "00f067aa0ba902b7" });
    expect(lineage(back)).toEqual({ traceId, parent: front.spanContext().spanId });
    expect(text).toBe(`00-${traceId}-${back.spanContext().spanId}-01`);
    expect(back.attributes).toMatchObject({ "tenon.group.server": "shop", "gen_ai.tool.name": "buy" });

    const points = await metered.points("mcp.client.operation.duration");
    const calls = points.filter(({ attributes }) => attributes["mcp.method.name"] === "tools/call");
    expect(calls).toHaveLength(2);
    for (const { attributes } of calls) expect(attributes).toMatchObject({ "tenon.group.server": "shop" });
    expect(calls.filter(({ attributes }) => attributes["error.type"] !== undefined)).toHaveLength(1);
  });
});
