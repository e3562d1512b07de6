/**
 * The first message whose shapes are not there yet: what else goes on while they are loaded. Each test begins with
 * modules of its own, in which nothing was loaded.
 */
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Client, ConnectOptions, JsonObject, McpServer, ProtocolVersion } from "tenon";
import type { ScriptedTransport } from "../support/scripted-transport.ts";

const REVISIONS: readonly ProtocolVersion[] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
let tenon: typeof import("tenon");

beforeEach(async () => {
  vi.resetModules();
  tenon = await import("tenon");
});

/** A server that writes down whom it served. */
function serverThat(served: string[]): McpServer {
  const server = new tenon.McpServer({ name: "s", version: "1" }, { onError: () => undefined });
  const note = (what: string, answer: string): string => {
    served.push(what);
    return answer;
  };
  server.tool("t", {}, () => note("tool", "x"));
  server.tool("ask", {}, async (_input, ctx) => JSON.stringify(await ctx.confirm("sure", "Sure?")));
  server.prompt("p", {}, () => note("prompt", "hello"));
  server.resource("file:///a", {}, () => note("resource", "text"));
  return server;
}

async function clientOf(server: McpServer, options: ConnectOptions): Promise<Client> {
  const [near, far] = tenon.createMemoryPair();
  const dispatcher = new tenon.JsonRpcDispatcher(far);
  server.accept(dispatcher).catch((error: unknown) => dispatcher.close(error));
  const client = await tenon.connect(near, options);
  onTestFinished(() => client.close());
  return client;
}

describe.each(REVISIONS)("on %s", (revision) => {
  it("K2.1 K3.1 every first message is answered, several at once, and in both directions", async () => {
    const served: string[] = [];
    const client = await clientOf(serverThat(served), { revision, ...(revision >= "2025-06-18" && { onElicit: accept }) });
    const [tool, prompt, resource, prompts] = await Promise.all([
      client.callTool("t"),
      client.getPrompt("p"),
      client.readResource("file:///a"),
      client.listPrompts(),
    ]);
    expect(tool.content).toEqual([{ type: "text", text: "x" }]);
    expect(prompt.messages).toEqual([{ role: "user", content: { type: "text", text: "hello" } }]);
    expect(resource.contents).toEqual([expect.objectContaining({ text: "text" })]);
    expect(prompts.prompts.map(({ name }) => name)).toEqual(["p"]);
    expect(served.sort()).toEqual(["prompt", "resource", "tool"]);
    if (revision >= "2025-06-18") expect(await client.callTool("ask")).toMatchObject({ content: [{ type: "text", text: "true" }] });
  });

  it("S4 what arrives first is checked like what arrives later", async () => {
    const served: string[] = [];
    const client = await clientOf(serverThat(served), { revision });
    for (let time = 0; time < 2; time++) {
      await expect(client.request("prompts/get", { name: 1 } as never)).rejects.toMatchObject({ code: -32602 });
    }
    expect(served).toEqual([]);
  });

  it("a call that is abandoned meanwhile is never sent", async () => {
    const served: string[] = [];
    const client = await clientOf(serverThat(served), { revision });
    const gone = new Error("gone");
    const abort = new AbortController();
    const call = client.getPrompt("p", {}, { signal: abort.signal });
    abort.abort(gone);
    await expect(call).rejects.toBe(gone);
    expect(await client.callTool("t")).toBeDefined();
    expect(served).toEqual(["tool"]);
  });

  it("a client that closes meanwhile does not leave the call waiting", async () => {
    const client = await clientOf(serverThat([]), { revision });
    const call = client.getPrompt("p");
    void client.close();
    await expect(call).rejects.toBeInstanceOf(tenon.ConnectionClosedError);
  });
});

describe("a server whose first prompt is asked for", () => {
  const META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const prompt = { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: "p", _meta: META } };
  let transport: ScriptedTransport;
  let ended: Promise<void>;

  beforeEach(async () => {
    // The one of before would be another Tenon's.
    const scripted = await import("../support/scripted-transport.ts");
    transport = new scripted.ScriptedTransport();
    const dispatcher = new tenon.JsonRpcDispatcher(transport);
    ended = serverThat([]).accept(dispatcher);
    onTestFinished(() => dispatcher.close());
  });

  async function written(count: number): Promise<JsonObject[]> {
    const all: JsonObject[] = [];
    await vi.waitFor(() => {
      all.push(...transport.take());
      expect(all.length).toBeGreaterThanOrEqual(count);
    });
    return all;
  }

  it("answers what comes meanwhile, and does not answer what was cancelled meanwhile", async () => {
    transport.push(prompt);
    transport.push({ ...prompt, id: 2 });
    transport.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    transport.push({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "t", _meta: META } });
    expect((await written(2)).map(({ id }) => id).sort()).toEqual([2, 3]);
  });

  it("refuses at once what it does not have", async () => {
    transport.push({ ...prompt, method: "completion/complete" });
    transport.push({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "t", _meta: META } });
    const answers = await written(2);
    expect(answers.map(({ id }) => id)).toEqual([1, 3]);
    expect(answers[0]).toMatchObject({ error: { code: -32601 } });
  });

  it("ends in good order when its client goes meanwhile", async () => {
    transport.push(prompt);
    transport.end();
    await expect(ended).resolves.toBeUndefined();
  });
});

function accept(): { action: "accept"; content: Record<string, never> } {
  return { action: "accept", content: {} };
}
