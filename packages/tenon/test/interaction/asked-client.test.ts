/** What a client answers to requests of a server that it has. */
import { describe, expect, it } from "vitest";
import { type ConnectOptions, type CreateMessageResult, type ElicitRequestedSchema, type JsonObject } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { open } from "../support/matrix.ts";
import { connected } from "../support/odd-server.ts";
import { testServer } from "../support/test-server.ts";

const answer: CreateMessageResult = { role: "assistant", content: { type: "text", text: "42" }, model: "m" };
const message = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "?" } }], maxTokens: 10 };
const form: ElicitRequestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

describe("A client asked by a server it has", () => {
  it("says in the codes of the specification what it cannot do [CS-80 A5.7]", async () => {
    const server = testServer();
    // Past the check of capabilities: what a server gets that asks although the client did not declare it.
    server.tool("ask", {}, async ({ method }, { session }) => {
      const params = { "elicitation/create": { message: "", requestedSchema: form }, "sampling/createMessage": message }[
        method as string
      ];
      const { code, message: said, data } = await failureOf(session.request(method as string, params));
      return { code, said, data };
    });
    const client = await open("memory", server, { revision: "2025-11-25" });
    const ask = async (method: string): Promise<unknown> => JSON.parse((await client.callTool("ask", { method })).text);
    expect(await ask("elicitation/create")).toEqual({ code: -32602, said: "Elicitation not supported" });
    expect(await ask("sampling/createMessage")).toEqual({ code: -32600, said: "Sampling not supported" });
    expect(await ask("roots/list")).toEqual({ code: -32601, said: "List roots not supported", data: "roots/list" });
    // A request that no client serves is refused by the server's own session.
    expect(await ask("tools/list")).toMatchObject({ code: -32600 });
    await client.close();
  });

  /** The answers of a client with every callback, for a server that asks for anything. */
  async function answerTo(method: string, params?: JsonObject): Promise<JsonObject> {
    const callbacks: ConnectOptions = { onElicit: () => ({ action: "decline" }), onSample: () => answer, roots: [] };
    const { server } = await connected({}, callbacks);
    server.push({ jsonrpc: "2.0", id: "theirs", method, ...(params && { params }) });
    await expect.poll(() => server.sent).toHaveLength(1);
    return server.sent[0]!;
  }

  it.each<[method: string, params: JsonObject | undefined, result: unknown]>([
    ["ping", undefined, {}],
    ["sampling/createMessage", message, answer],
    ["elicitation/create", { message: "?", requestedSchema: form }, { action: "decline" }],
    ["roots/list", undefined, { roots: [] }],
  ])("answers %s [DI-13]", async (method, params, result) => {
    expect(await answerTo(method, params)).toEqual({ jsonrpc: "2.0", id: "theirs", result });
  });

  it.each([
    "tools/list",
    "initialize",
    "server/discover",
    "completion/complete",
    "tasks/get",
    "own/method",
    "",
    "__proto__",
    "constructor",
  ])("does not know the method %j, and says which one it was [DI-13 CS-70 A5.7]", async (method) => {
    const error = { code: -32601, message: "Method not found", data: method };
    expect(await answerTo(method)).toEqual({ jsonrpc: "2.0", id: "theirs", error });
  });
});
