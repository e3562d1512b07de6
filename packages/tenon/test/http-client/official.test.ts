// The HTTP client against the official TypeScript server, over real sockets.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer as OfficialServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { connect } from "tenon";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";

function officialServer(): OfficialServer {
  const server = new OfficialServer({ name: "official", version: "1" }, { capabilities: { logging: {} } });
  server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  server.registerTool("ask", {}, async () => {
    const answer = await server.server.elicitInput({
      message: "Name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    });
    return { content: [{ type: "text", text: JSON.stringify(answer) }] };
  });
  server.registerTool("count", {}, async (extra) => {
    for (let progress = 1; progress <= 3; progress++) {
      await extra.sendNotification({
        method: "notifications/progress",
        params: { progressToken: extra._meta!.progressToken!, progress },
      });
    }
    return { content: [{ type: "text", text: "done" }] };
  });
  return server;
}

async function listen(handler: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test.each([true, false])("a stateful official server, JSON responses: %s [B4.3 E1.5]", async (enableJsonResponse) => {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const methods: string[] = [];
  const url = await listen((request, response) => {
    methods.push(request.method!);
    const id = request.headers["mcp-session-id"] as string | undefined;
    let transport = id === undefined ? undefined : transports.get(id);
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        enableJsonResponse,
        onsessioninitialized: (session) => void transports.set(session, transport!),
      });
      void officialServer()
        .connect(transport as Parameters<OfficialServer["connect"]>[0])
        .then(() => transport!.handleRequest(request, response));
    } else void transport.handleRequest(request, response);
  });
  const steps: number[] = [];
  const client = await connect(url, { onElicit: () => ({ action: "accept", content: { name: "Ada" } }) });
  expect(client.protocolVersion).toBe("2025-11-25");
  expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  if (!enableJsonResponse) {
    expect((await client.callTool("ask")).text).toContain("Ada");
    expect((await client.callTool("count", {}, { onProgress: ({ progress }) => void steps.push(progress) })).text).toBe("done");
    expect(steps).toEqual([1, 2, 3]);
  }
  await client.close();
  expect(methods.at(-1)).toBe("DELETE");
});

test("an official server that has HTTP+SSE only [B4.4 D.1 D.2]", async () => {
  let transport: SSEServerTransport | undefined;
  const url = await listen((request, response) => {
    if (request.method === "GET") {
      transport = new SSEServerTransport("/messages", response);
      void officialServer().connect(transport);
    } else if (request.url?.startsWith("/messages")) void transport!.handlePostMessage(request, response);
    else response.writeHead(404).end();
  });
  const client = await connect(url);
  expect((await client.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  await client.close();
  // What is known of a server is used the next time.
  const again = await connect(url);
  expect((await again.callTool("add", { a: 2, b: 2 })).text).toBe("4");
  await again.close();
});
