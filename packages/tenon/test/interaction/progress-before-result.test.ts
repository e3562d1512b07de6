/**
 * Progress that a handler sends in the turn of its result reaches the official clients, over every transport and in every
 * revision.
 *
 * They forget a request as soon as they see its response, but handle progress only after all messages that they have read
 * together. So what they read decides: what is in one chunk with the response is lost, whoever sent it. A server can write them
 * apart.
 */
import { PassThrough, Writable } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { createParser } from "eventsource-parser";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFetchHandler, type McpServer } from "tenon/server";
import { serveStdio } from "tenon/node";
import { clientOf } from "./second-generation.mjs";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const STATEFUL = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const onprogress = (seen: number[]): { onprogress(step: { progress: number }): void } => ({
  onprogress: ({ progress }) => void seen.push(progress),
});

/** A server whose tool reports twice and returns, all in one turn. */
function reporting(): McpServer {
  const server = testServer();
  server.tool("report", {}, async (_input, ctx) => {
    await ctx.progress(1, 2);
    await ctx.progress(2, 2);
    return "done";
  });
  return server;
}

/** A transport of the official clients with their own reading of bytes: the messages of one chunk are read together. */
class Chunks {
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #buffer = new ReadBuffer();
  readonly #write: (text: string) => void;
  readonly #revision: string;

  constructor(write: (text: string) => void, revision: string) {
    this.#write = write;
    this.#revision = revision;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  /** The first generation has no option for the revision: it is put into the first message. */
  async send(message: JSONRPCMessage): Promise<void> {
    const isFirst = "method" in message && message.method === "initialize";
    const sent = isFirst ? { ...message, params: { ...message.params, protocolVersion: this.#revision } } : message;
    this.#write(serializeMessage(sent));
  }

  /** What the official transports do with a chunk. */
  readonly read = (chunk: Buffer): void => {
    this.#buffer.append(chunk);
    for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage())
      this.onmessage?.(message);
  };
}

/** Serves on streams; `deliver` is called with each chunk that was written. */
function served(revision: string, deliver: (chunk: Buffer, read: (chunk: Buffer) => void) => void): Chunks {
  const stdin = new PassThrough();
  const transport = new Chunks((text) => stdin.write(text), revision);
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, written) {
      deliver(chunk, transport.read);
      written();
    },
  });
  const serving = serveStdio(reporting(), { stdin, stdout });
  onTestFinished(async () => {
    stdin.end();
    await serving;
  });
  return transport;
}

async function progressOf(transport: Parameters<Client["connect"]>[0]): Promise<number[]> {
  const client = new Client({ name: "c", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const seen: number[] = [];
  const { content } = await client.callTool({ name: "report" }, undefined, onprogress(seen));
  expect(content).toEqual([{ type: "text", text: "done" }]);
  return seen;
}

/** The same with the second generation. */
async function progressOfSecond(transport: Chunks, revision: string): Promise<number[]> {
  const client = clientOf(revision);
  await client.connect(transport);
  onTestFinished(() => client.close());
  const seen: number[] = [];
  const { content } = await client.callTool({ name: "report" }, onprogress(seen));
  expect(content).toEqual([{ type: "text", text: "done" }]);
  return seen;
}

describe("over stdio", () => {
  it.each(STATEFUL)("in %s, to the first generation", async (revision) => {
    expect(await progressOf(served(revision, (chunk, read) => read(chunk)))).toEqual([1, 2]);
  });

  it.each([...STATEFUL, "2026-07-28"])("in %s, to the second generation", async (revision) => {
    expect(
      await progressOfSecond(
        served(revision, (chunk, read) => read(chunk)),
        revision,
      ),
    ).toEqual([1, 2]);
  });

  it("is lost where a client reads it together with the response: the server's pause is there for nothing else", async () => {
    let held = Buffer.alloc(0);
    const together = (chunk: Buffer, read: (chunk: Buffer) => void): void => {
      held = Buffer.concat([held, chunk]);
      if (!held.toString().includes('"result"')) return;
      read(held);
      held = Buffer.alloc(0);
    };
    expect(await progressOf(served("2025-11-25", together))).toEqual([]);
  });
});

describe("over HTTP", () => {
  const url = new URL("http://localhost/mcp");
  const fetchOf = (): typeof fetch => {
    const handler = createFetchHandler(reporting(), { httpSse: true });
    return (target, init) => handler(new Request(target, init));
  };

  it("in 2024-11-05, on its one stream, of which the events of one chunk are read together", async () => {
    const fetch = fetchOf();
    const { body } = await fetch(url, { headers: { accept: "text/event-stream" } });
    const { promise: endpoint, resolve: begin } = deferred<string>();
    const post = async (text: string): Promise<void> => {
      await fetch(new URL(await endpoint, url), { method: "POST", headers: { "content-type": "application/json" }, body: text });
    };
    const transport = new Chunks((text) => void post(text), "2024-11-05");
    const parser = createParser({
      onEvent: ({ event, data }) => (event === "endpoint" ? begin(data) : transport.read(Buffer.from(`${data}\n`))),
    });
    const reading = body!.pipeThrough(new TextDecoderStream()).pipeTo(new WritableStream({ write: (text) => parser.feed(text) }));
    onTestFinished(() => void reading.catch(() => undefined));
    expect(await progressOf(transport)).toEqual([1, 2]);
  });

  it.each(["as it comes", "all of it in one chunk"])(
    "on the response to the call, which is read event by event: %s",
    async (how) => {
      const fetch = fetchOf();
      const whole: typeof fetch = async (target, init) => {
        const response = await fetch(target, init);
        return init?.method === "POST" && response.status === 200
          ? new Response(await response.arrayBuffer(), response)
          : response;
      };
      const transport = new StreamableHTTPClientTransport(url, { fetch: how === "as it comes" ? fetch : whole });
      expect(await progressOf(transport)).toEqual([1, 2]);
    },
  );
});
