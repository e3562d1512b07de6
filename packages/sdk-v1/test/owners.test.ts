/** Owners who take part in a transport of 1.x, as bridges and observers do: they set `onmessage` and `send` after connect(). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { InMemoryTransport } from "mcp-sdk-v1/inMemory.js";
import { McpServer as OfficialMcpServer } from "mcp-sdk-v1/server/mcp.js";
import { StdioServerTransport as OfficialStdio } from "mcp-sdk-v1/server/stdio.js";
import { type JSONRPCMessage, ListToolsRequestSchema } from "mcp-sdk-v1/types.js";
import { LATEST_PROTOCOL_VERSION } from "tenon";
import { connect } from "tenon/client";
import { expect, onTestFinished, test } from "vitest";
import { Client } from "../src/client/index.ts";
import { Server } from "../src/server/index.ts";
import { McpServer } from "../src/server/mcp.ts";
import { StdioServerTransport } from "../src/server/stdio.ts";
import { StreamableHTTPServerTransport } from "../src/server/streamableHttp.ts";
import { isInitializeRequest } from "../src/types.ts";
import { weatherServer } from "./weather.ts";

const request = (id: number, method: string, params: object = {}): JSONRPCMessage => ({
  jsonrpc: "2.0",
  id,
  method,
  params: { ...params },
});
const handshake = request(0, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "c", version: "1" },
});
const call = request(1, "tools/call", { name: "forecast", arguments: { city: "Rome" } });

/** Standard streams, and what a peer writes to them and reads from them. */
function streams(): { stdin: PassThrough; stdout: PassThrough; write: (message: object) => void; read: () => Promise<unknown> } {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const lines = stdout.setEncoding("utf8")[Symbol.asyncIterator]() as AsyncIterator<string>;
  return {
    stdin,
    stdout,
    write: (message) => void stdin.write(`${JSON.stringify(message)}\n`),
    read: async () => JSON.parse((await lines.next()).value as string) as unknown,
  };
}

/** What a transport of either package does with an owner who watches all messages from before connect(), and from after it. */
test.each([OfficialStdio, StdioServerTransport])(
  "an owner sees what arrives on standard streams, and what is sent",
  async (Transport) => {
    const { stdin, stdout, write, read } = streams();
    const transport = new Transport(stdin, stdout);
    const seen: string[] = [];
    const note = (who: string, message: JSONRPCMessage): void =>
      void seen.push(`${who} ${"method" in message ? message.method : "id" in message && message.id}`);
    transport.onmessage = (message) => note("first", message);
    await weatherServer().connect(transport);
    write(handshake);
    expect(await read()).toMatchObject({ id: 0, result: { serverInfo: { name: "weather" } } });
    const { onmessage } = transport;
    transport.onmessage = (message) => {
      note("in", message);
      onmessage?.(message);
    };
    const send = transport.send.bind(transport);
    transport.send = (message) => {
      note("out", message);
      return send(message);
    };
    write({ jsonrpc: "2.0", method: "notifications/initialized" });
    write(call);
    expect(await read()).toMatchObject({ id: 1, result: { structuredContent: { degrees: 20 } } });
    expect(seen).toEqual([
      "first initialize",
      ...["notifications/initialized", "tools/call"].flatMap((method) => [`in ${method}`, `first ${method}`]),
      "out 1",
    ]);
  },
);

test.each([OfficialStdio, StdioServerTransport])(
  "an owner answers in the place of the server on standard streams",
  async (Transport) => {
    const { stdin, stdout, write, read } = streams();
    const transport = new Transport(stdin, stdout);
    await new Server({ name: "bridge", version: "1" }).connect(transport);
    transport.onmessage = (message) => {
      if ("id" in message && message.id !== undefined)
        void transport.send({ jsonrpc: "2.0", id: message.id, result: { far: true } });
    };
    write(handshake);
    expect(await read()).toEqual({ jsonrpc: "2.0", id: 0, result: { far: true } });
  },
);

test.each([OfficialMcpServer, McpServer])(
  "a transport of the owner gets a response alone, and what belongs to a request with its id",
  async (ServerClass) => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const [sent, send] = [[] as unknown[][], near.send.bind(near)];
    near.send = (...given) => {
      const [message, ...others] = given;
      sent.push(["method" in message ? message.method : "response", ...others]);
      return send(...given);
    };
    const server = new ServerClass({ name: "s", version: "1" }, { capabilities: { logging: {} } });
    server.registerTool("say", {}, async ({ sendNotification }) => {
      await sendNotification({ method: "notifications/message", params: { level: "info", data: "half way" } });
      return { content: [] };
    });
    await server.connect(near);
    const client = new Client({ name: "c", version: "1" });
    await client.connect(far);
    await client.callTool({ name: "say" });
    await client.close();
    expect(sent).toEqual([["response"], ["notifications/message", { relatedRequestId: 1 }], ["response"]]);
  },
);

test("a bridge over HTTP has the revisions of its owner, and nothing stays of a request of the newest", async () => {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  let open = 0;
  const http = createServer((incoming, response) => {
    const work = async (): Promise<void> => {
      const id = String(incoming.headers["mcp-session-id"]);
      const text = (await incoming.setEncoding("utf8").toArray()).join("");
      const body: unknown = text === "" ? undefined : JSON.parse(text);
      const known = sessions.get(id);
      if (known !== undefined) return known.handleRequest(incoming, response, body);
      if (!isInitializeRequest(body)) return void response.writeHead(400).end("no session");
      const near = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => `session-${sessions.size}`,
        onsessioninitialized: (session) => void sessions.set(session, near),
      });
      await new Server({ name: "bridge", version: "1" }, { capabilities: {} }).connect(near);
      open++;
      near.onclose = () => void open--;
      near.onmessage = (message) => {
        if (!("id" in message) || message.id === undefined) return;
        const result = "method" in message && message.method === "initialize" ? INITIALIZED : { tools: [] };
        void near.send({ jsonrpc: "2.0", id: message.id, result });
      };
      return near.handleRequest(incoming, response, body);
    };
    work().catch((error: unknown) => void response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // it listens on a port
  await using client = await connect({ url });
  expect(client.protocolVersion).toBe("2025-11-25");
  expect(await client.listTools()).toMatchObject({ tools: [] });
  expect([open, sessions.size]).toEqual([1, 1]);
  await expect(connect({ url }, { revision: LATEST_PROTOCOL_VERSION })).rejects.toThrow("Server not initialized");
  expect([open, sessions.size]).toEqual([1, 1]);
});

const INITIALIZED = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "far", version: "1" } };

test("a class of the owner replaces methods of the layer's classes, private ones too", async () => {
  class OwnServer extends McpServer {
    constructor() {
      super({ name: "own", version: "1" });
      Object.assign(this, {
        setToolRequestHandlers: () => {
          this.server.registerCapabilities({ tools: {} });
          this.server.setRequestHandler(ListToolsRequestSchema, () => ({
            tools: [{ name: "own", inputSchema: { type: "object" } }],
          }));
        },
      });
      this.registerTool("hidden", {}, () => ({ content: [] }));
    }
  }
  const client = new Client({ name: "own", version: "1" });
  Object.assign(client, { isToolTask: () => false });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([new OwnServer().connect(far), client.connect(near)]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["own"]);
});
