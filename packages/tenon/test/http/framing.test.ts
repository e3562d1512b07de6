// How a response of unknown length leaves Node: each chunk as one text, and never twice in chunks.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { McpServer } from "tenon/server";
import { toNodeHandler } from "tenon/node";
import { rawSocket } from "./raw-socket.ts";
import { exchange, mirrored, serve, statelessBody, type Received } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const PARAMS = { name: "steps", _meta: { progressToken: "t" } };
const TEXTS = ["plain", "äöü €", "😀", "x".repeat(10_000), "ü".repeat(5_000)];

/** Each step leaves by itself. */
function server(): McpServer {
  const made = testServer();
  made.tool("steps", {}, async (_input, ctx) => {
    for (const [i, text] of TEXTS.entries()) {
      await ctx.progress(i, undefined, text);
      await setImmediate();
    }
    return "done";
  });
  return made;
}

const sent = { headers: mirrored("tools/call", PARAMS), body: statelessBody("tools/call", PARAMS) };

function expectEverything({ messages }: Received): void {
  expect(messages.slice(0, -1).map(({ params }) => params)).toMatchObject(
    TEXTS.map((message, progress) => ({ progress, message })),
  );
  expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: "done" }] } });
}

test("what is not ASCII, and what is large, arrives as it was said", async () => {
  const http = await serve(server());
  expectEverything(await http.raw(sent));
});

test("who stands between the handler and the socket sees text, no chunks", async () => {
  const seen: string[] = [];
  const handler = toNodeHandler(server());
  const http = createServer((request, response) => {
    const write = response.write.bind(response) as (text: string) => boolean;
    response.write = ((text: string) => (seen.push(text), write(text))) as ServerResponse["write"];
    handler(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  expectEverything(await exchange((http.address() as AddressInfo).port, sent));
  expect(seen).toHaveLength(TEXTS.length);
  for (const text of seen) expect(text).toMatch(/^event: message\ndata: .*\n\n$/);
});

test("HTTP/1.0 knows no chunks: the end of the connection is that of the stream", async () => {
  const http = await serve(server());
  const body = JSON.stringify(sent.body);
  const lines = [
    "POST /mcp HTTP/1.0",
    "Host: localhost",
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    ...Object.entries(sent.headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
  ];
  const [head, ...events] = (await rawSocket(http.port, `${lines.join("\r\n")}\r\n\r\n${body}`)).split(/\r?\n\r?\n/);
  expect(head).not.toMatch(/transfer-encoding/i);
  expect(events.slice(0, -1).every((event) => event.startsWith("event: message\ndata: {"))).toBe(true);
  expect(events).toHaveLength(TEXTS.length + 2);
});
