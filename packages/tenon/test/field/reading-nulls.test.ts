/**
 * Results in which something is null that can mean one thing only, and items where lists belong, read by a client: as servers
 * with nil lists and hand-written JSON send them.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, ProtocolViolationError, type Client, type ConnectOptions, type Deviation, type JsonObject } from "tenon";
import { oddServer, Whole, type OddOptions } from "./odd-server.ts";

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
const STATEFUL = REVISIONS.slice(0, 4);

interface Reader {
  readonly client: Client;
  readonly deviations: Deviation[];
  readonly errors: string[];
}

async function readerOf(result: JsonObject | Whole, odd: OddOptions, options: ConnectOptions = {}): Promise<Reader> {
  const deviations: Deviation[] = [];
  const errors: string[] = [];
  const url = await oddServer((method) => (method === "server/discover" ? undefined : result), odd);
  const client = await connect(url, {
    onDeviation: (deviation) => deviations.push(deviation),
    onError: ({ message }) => errors.push(message),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, deviations, errors };
}

const whole = (message: JsonObject): Whole => new Whole(message);

describe.each(REVISIONS)("what is null in a result of %s", (version) => {
  it.each<[string, JsonObject, (client: Client) => Promise<unknown>, unknown]>([
    ["a list of tools", { tools: null }, (client) => client.listTools(), { tools: [] }],
    ["a list of resources", { resources: null }, (client) => client.listResources(), { resources: [] }],
    ["a list of prompts", { prompts: null }, (client) => client.listPrompts(), { prompts: [] }],
    ["contents", { contents: null }, (client) => client.readResource("a://b"), { contents: [] }],
    ["messages", { messages: null }, (client) => client.getPrompt("a"), { messages: [] }],
  ])("%s: is read [FD-94]", async (_what, result, read, expected) => {
    const { client, deviations, errors } = await readerOf(result, { version });
    expect(await read(client)).toMatchObject(expected as JsonObject);
    expect([deviations.map(({ kind }) => kind), errors]).toEqual([["null"], []]);
    const strict = await readerOf(result, { version }, { strict: true });
    await expect(read(strict.client)).rejects.toThrow(ProtocolViolationError);
  });

  it.each<[string, JsonObject, unknown]>([
    ["a block", { content: { type: "text", text: "x" } }, [{ type: "text", text: "x" }]],
    ["a text", { content: "x" }, [{ type: "text", text: "x" }]],
  ])("%s where a list of blocks belongs: is read [FD-95]", async (_what, result, content) => {
    const { client, deviations } = await readerOf(result, { version });
    expect(await client.callTool("a", {}, { validateOutput: false })).toMatchObject({ content });
    expect(deviations.map(({ kind }) => kind)).toEqual(["single"]);
  });

  it.each<[string, unknown]>([
    ["a text", "x"],
    ["a list of one block", [{ type: "text", text: "x" }]],
  ])("%s in a message of a prompt: is read [FD-95]", async (_what, content) => {
    const { client, deviations } = await readerOf({ messages: [{ role: "user", content }] }, { version });
    expect((await client.getPrompt("a")).messages).toEqual([{ role: "user", content: { type: "text", text: "x" } }]);
    expect(deviations.map(({ kind }) => kind)).toEqual(["single"]);
  });

  it("an error that is an empty list beside a result: is absent [FD-31]", async () => {
    const { client } = await readerOf(whole({ jsonrpc: "2.0", result: { tools: [] }, error: [] }), { version });
    expect((await client.listTools()).tools).toEqual([]);
  });

  it("texts in a list of blocks are read, and the error for another value names one kind [FD-95 FD-35]", async () => {
    const { client, errors } = await readerOf({ content: ["x", null] }, { version });
    expect((await client.callTool("a", {}, { validateOutput: false })).content).toEqual([{ type: "text", text: "x" }]);
    expect(errors).toEqual([expect.stringMatching(/result\.content\[1\] is not an object$/)]);
  });

  it("values of a completion: null is empty, and one that is not a text is left out [FD-94 FD-35]", async () => {
    const ask = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } } as const;
    const none = await readerOf({ completion: { values: null } }, { version });
    expect((await none.client.complete(ask)).completion.values).toEqual([]);
    const some = await readerOf({ completion: { values: ["a", 7] } }, { version });
    expect((await some.client.complete(ask)).completion.values).toEqual(["a"]);
  });

  it.each([
    ["tools", {}, (client: Client) => client.listTools()],
    ["contents", {}, (client: Client) => client.readResource("a://b")],
    ["messages", {}, (client: Client) => client.getPrompt("a")],
  ])("%s that are not there at all are refused [FD-94]", async (_what, result, read) => {
    const { client } = await readerOf(result, { version });
    await expect(read(client)).rejects.toThrow("is missing");
  });

  it("an error without a code fails the call, and says what the peer wrote [FD-96]", async () => {
    for (const error of ["the disk is full", { message: "the disk is full" }, { code: "E1", message: "the disk is full" }]) {
      const { client } = await readerOf(whole({ jsonrpc: "2.0", error }), { version });
      await expect(client.callTool("a")).rejects.toThrow(/must have an integer "code".*the peer says: the disk is full/);
    }
  });
});

describe.each(STATEFUL)("a server of %s", (version) => {
  it.each<[string, JsonObject, unknown]>([
    ["capabilities that are null", { capabilities: null }, { serverCapabilities: {} }],
    ["capabilities that are true", { capabilities: { tools: true, prompts: false } }, { serverCapabilities: { tools: {} } }],
    ["a server that is null", { serverInfo: null }, { serverInfo: { name: "unknown", version: "unknown" } }],
    ["a version that is null", { serverInfo: { name: "s", version: null } }, { serverInfo: { name: "s", version: "unknown" } }],
  ])("with %s in its handshake: is read [FD-94]", async (_what, opening, expected) => {
    const { client } = await readerOf({}, { version, opening });
    expect(client).toMatchObject(expected as JsonObject);
    await expect(readerOf({}, { version, opening }, { strict: true })).rejects.toThrow(ProtocolViolationError);
  });
});
