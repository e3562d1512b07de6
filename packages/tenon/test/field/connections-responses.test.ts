// Responses over HTTP that break the rules of the transport: their media type, their events, their ids [FD-87 FD-88 FD-89].
import { connect, type ConnectOptions, type Deviation, type JsonObject } from "tenon";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { scriptedHttp, type Reply, type Script } from "../http-client/scripted-http.ts";

const OPENED = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };

function resultOf(method: unknown): JsonObject {
  if (method === "initialize") return { result: OPENED };
  return method === "tools/list" ? { result: { tools: [] } } : { error: { code: -32601, message: "no such method" } };
}

/** Answers every request by `write`, with the text of its response. */
function writing(write: (reply: Reply, text: string, method: unknown) => void, idOf = (id: unknown): unknown => id): Script {
  return ({ method, message }, reply) => {
    if (method !== "POST" || message["id"] === undefined)
      return void reply.response.writeHead(method === "POST" ? 202 : 405).end();
    const { id, method: asked } = message;
    return write(reply, JSON.stringify({ jsonrpc: "2.0", id: idOf(id), ...resultOf(asked) }), asked);
  };
}

async function client(script: Script, options: ConnectOptions = {}) {
  const { url } = await scriptedHttp(script);
  const deviations: Deviation[] = [];
  const made = await closing(
    connect(url, { timeout: 10_000, onDeviation: (deviation) => void deviations.push(deviation), ...options }),
  );
  return { client: made, deviations };
}

const as =
  (type: string | undefined, wrap = (text: string): string => text) =>
  ({ response }: Reply, text: string): void =>
    void response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(wrap(text));
const event = (text: string): string => `event: message\ndata: ${text}\n\n`;
/** JSON over several lines. */
const spread = (text: string): string => JSON.stringify(JSON.parse(text), null, 2);

describe("a body counts as what it is, whatever its Content-Type says [FD-87]", () => {
  test.each<[string, ReturnType<typeof as>]>([
    ["JSON, missing", as(undefined)],
    ["JSON as text", as("text/plain; charset=utf-8")],
    ["JSON as bytes, after a mark and a line break", as("application/octet-stream", (text) => `\uFEFF\n${text}`)],
    ["JSON as a page", as("text/html")],
    ["JSON of another name", as("application/vnd.api+json")],
    ["JSON as events", as("text/event-stream")],
    ["JSON over several lines as events", as("text/event-stream", spread)],
    ["events, missing", as(undefined, event)],
    ["events as text, after a comment", as("text/plain", (text) => `: hello\n\n${event(text)}`)],
    ["events as JSON", as("application/json", event)],
  ])("%s", async (_what, write) => {
    const { client: made, deviations } = await client(writing(write));
    expect((await made.listTools()).tools).toEqual([]);
    expect(deviations.map(({ kind }) => kind)).toEqual([expect.stringMatching(/^(media-type|event)$/)]);
    const { url } = await scriptedHttp(writing(write));
    await expect(connect(url, { strict: true, timeout: 10_000 })).rejects.toThrow(/answered|ended before the answer/);
  });

  test("events under no Content-Type are read while they come", async () => {
    const { client: made } = await client(
      writing(({ response }, text, method) => {
        response.writeHead(200, {});
        response.write(event(text));
        if (method !== "tools/list") response.end();
      }),
    );
    expect((await made.listTools()).tools).toEqual([]);
  });

  test("a page stays an error that names its type", async () => {
    const { url } = await scriptedHttp(writing(as("text/html", () => "<!doctype html><html>")));
    expect((await failureOf(connect(url))).message).toBe(`${url} answered "initialize" with HTTP 200 and text/html`);
  });
});

describe("a message in an event without an end, or of another name, is read [FD-88]", () => {
  test.each<[string, (text: string) => string]>([
    ["no blank line after it", (text) => `data: ${text}\n`],
    ["no line break after it", (text) => `data: ${text}`],
    ["over several lines, without an end", (text) => spread(text).replaceAll(/^/gm, "data: ")],
    ["another name", (text) => `event: response\ndata: ${text}\n\n`],
  ])("%s", async (_what, wrap) => {
    const { client: made, deviations } = await client(writing(as("text/event-stream", wrap)));
    expect((await made.listTools()).tools).toEqual([]);
    expect(deviations).toMatchObject([{ kind: "event" }]);
    const { url } = await scriptedHttp(writing(as("text/event-stream", wrap)));
    await expect(connect(url, { strict: true })).rejects.toThrow("ended before the answer");
  });

  test.each([
    ["one line break", (text: string) => `data: ${text}\n`],
    ["none", (text: string) => `data: ${text}`],
    ["an event before, cut anywhere", (text: string) => `data:\nid: 1\n\ndata: ${text}\n`],
  ])("%s after it, in a stream that stays open", async (_what, wrap) => {
    const { client: made, deviations } = await client(
      writing(({ response }, text) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const whole = wrap(text);
        const cut = whole.lastIndexOf("data:") + 10;
        response.write(whole.slice(0, cut), () => response.write(whole.slice(cut)));
      }),
    );
    expect((await made.listTools()).tools).toEqual([]);
    expect(deviations).toMatchObject([{ kind: "event" }]);
  });

  test.each<[string, (text: string) => string]>([
    ["a message that is cut off", (text) => `data: ${text.slice(0, -1)}`],
    ["the name of another event, with other data", () => 'event: ping\ndata: {"at":1}\n\n'],
  ])("%s is not a message", async (_what, wrap) => {
    const { url } = await scriptedHttp(writing(as("text/event-stream", wrap)));
    await expect(connect(url)).rejects.toThrow("ended before the answer");
  });
});

describe("ids of responses that servers make up [FD-89]", () => {
  const forms = [
    ["JSON", as("application/json")],
    ["events", as("text/event-stream", event)],
  ] as const;

  describe.each(forms)("%s", (_form, write) => {
    test.each<[string, (id: unknown) => unknown, readonly string[]]>([
      ["the number as text", String, []],
      ["the number as text with a fraction", (id) => `${String(id)}.0`, []],
      ["always 0", () => 0, ["response-id"]],
      ["always empty", () => "", ["response-id"]],
    ])("%s", async (_what, idOf, kinds) => {
      const { client: made, deviations } = await client(writing(write, idOf));
      expect((await made.listTools()).tools).toEqual([]);
      expect(deviations.map(({ kind }) => kind)).toEqual(kinds);
    });

    test("the id of another call, or 0 to a strict client, is refused", async () => {
      const { url } = await scriptedHttp(writing(write, () => 4711));
      await expect(connect(url)).rejects.toThrow(/something else|ended before the answer/);
      const zero = await scriptedHttp(writing(write, () => 0));
      await expect(connect(zero.url, { strict: true })).rejects.toThrow(/something else|ended before the answer/);
    });

    test("an error without an id is that of the call whose response it came in", async () => {
      const failing = writing((reply, text, method) => {
        const error = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "custom failure" } });
        write(reply, method === "tools/call" ? error : text);
      });
      const { client: made } = await client(failing, { validateOutput: false });
      expect(await failureOf(made.callTool("a"))).toMatchObject({ code: -32000, message: "custom failure" });
      expect((await made.listTools()).tools).toEqual([]);
    });
  });
});
