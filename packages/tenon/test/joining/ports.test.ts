/** Connections over ports and byte streams: a client and a server that are joined by what a program has. */
import { mkdtempSync } from "node:fs";
import { createServer, connect as connectSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import {
  acceptorOf,
  connect,
  ConnectionClosedError,
  JsonRpcDispatcher,
  portTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Client,
} from "tenon";
import { socketTransport } from "tenon/node";
import { McpServer } from "tenon/server";

function server(): McpServer {
  const made = new McpServer({ name: "s", version: "1" });
  made.tool("echo", { input: { type: "object", properties: { text: { type: "string" } } } }, ({ text }) => String(text));
  made.tool("count", {}, async (_, ctx) => {
    await ctx.progress(1, 2, "half");
    return "done";
  });
  made.tool(
    "wait",
    {},
    (_, ctx) => new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error))),
  );
  return made;
}

async function works(client: Client): Promise<void> {
  expect((await client.callTool("echo", { text: "héllo\n\u2028" })).text).toBe("héllo\n\u2028");
  const heard: unknown[] = [];
  expect(
    (await client.callTool("count", {}, { onProgress: ({ message, progress }) => void heard.push(message ?? progress) })).text,
  ).toBe("done");
  expect(heard).toHaveLength(1);
  const ending = new AbortController();
  const call = client.callTool("wait", {}, { signal: ending.signal });
  ending.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
}

it.each(SUPPORTED_PROTOCOL_VERSIONS)("a message channel carries calls, progress and cancellation: %s", async (revision) => {
  const { port1, port2 } = new MessageChannel();
  const served = server();
  const serving = acceptorOf(served).accept(new JsonRpcDispatcher(portTransport(port1)));
  const client = await connect(portTransport(port2), { revision });
  await works(client);
  await client.close();
  expect(await serving).toBeUndefined(); // the close of one end ends the other
});

it("a worker serves by its parent port", async () => {
  const source = `
    import { parentPort } from "node:worker_threads";
    const serverInfo = { name: "w", version: "1" };
    parentPort.on("message", ({ id, method }) => {
      const answer = (outcome) => parentPort.postMessage({ jsonrpc: "2.0", id, ...outcome });
      if (method === "initialize") {
        answer({ result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
      } else if (method === "tools/list") answer({ result: { tools: [] } });
      else if (id !== undefined) answer({ error: { code: -32601, message: "no" } });
    });`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`));
  onTestFinished(() => void worker.terminate());
  const client = await connect(portTransport(worker));
  expect((await client.listTools()).tools).toEqual([]);
  await worker.terminate();
  await expect(client.listTools()).rejects.toBeInstanceOf(ConnectionClosedError);
});

it("a window needs the origin of its page, and hears only that window and that origin", async () => {
  const posted: unknown[] = [];
  const frame = { window: true, postMessage: (message: unknown, origin: string) => void posted.push([message, origin]) };
  expect(() => portTransport(frame)).toThrow('A window needs option "origin"');
  expect(() => portTransport(frame, { origin: "*" })).toThrow('never "*"');
  const page = new EventTarget();
  const [add, remove] = [globalThis.addEventListener, globalThis.removeEventListener];
  Object.assign(globalThis, {
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  });
  onTestFinished(() => void Object.assign(globalThis, { addEventListener: add, removeEventListener: remove }));
  const transport = portTransport(frame, { origin: ["https://app.example", "https://two.example"] });
  const say = (method: string, source: unknown, origin: string): void =>
    void page.dispatchEvent(Object.assign(new Event("message"), { data: { jsonrpc: "2.0", method }, source, origin }));
  say("of-another-window", {}, "https://app.example");
  say("of-another-origin", frame, "https://evil.example");
  say("right", frame, "https://app.example");
  say("right-too", frame, "https://two.example");
  expect(await transport.receive()).toMatchObject({ method: "right" });
  expect(await transport.receive()).toMatchObject({ method: "right-too" });
  await transport.send({ jsonrpc: "2.0", method: "to-page" });
  expect(posted).toEqual([[{ jsonrpc: "2.0", method: "to-page" }, "https://app.example"]]);
  await transport.close();
  say("late", frame, "https://app.example");
  await expect(transport.receive()).rejects.toBeInstanceOf(ConnectionClosedError);
});

it("what is not a port is refused, and what is not a message does not end the connection", async () => {
  expect(() => portTransport({} as never)).toThrow("needs something with postMessage()");
  const { port1, port2 } = new MessageChannel();
  const served = server();
  void acceptorOf(served).accept(new JsonRpcDispatcher(portTransport(port1), { onError: () => undefined }));
  port2.postMessage("not a message");
  port2.postMessage(undefined);
  const client = await connect(portTransport(port2));
  await works(client);
  await client.close();
});

it.each(["tcp", "unix"])("byte streams carry a connection: %s", async (kind) => {
  const served = server();
  const listener = createServer((socket) => void acceptorOf(served).accept(new JsonRpcDispatcher(socketTransport(socket))));
  const path = join(mkdtempSync(join(tmpdir(), "tenon-port-")), "s");
  await new Promise<void>((resolve) =>
    kind === "unix" ? listener.listen(path, resolve) : listener.listen(0, "127.0.0.1", resolve),
  );
  onTestFinished(() => void listener.close());
  const address = listener.address();
  const socket = typeof address === "object" && address !== null ? connectSocket(address.port, "127.0.0.1") : connectSocket(path);
  const client = await connect(socketTransport(socket));
  await works(client);
  await client.close();
  await expect.poll(() => socket.destroyed, { timeout: 30_000 }).toBe(true);
});
