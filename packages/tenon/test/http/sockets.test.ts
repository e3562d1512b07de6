// HTTP that is malformed, unusual or slow, byte by byte: each is refused or served, and the server goes on.
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { McpServer } from "tenon/server";
import { serveHttp, toNodeHandler, type NodeHandler } from "tenon/node";
import { VirtualClock } from "../support/virtual-clock.ts";
import { rawSocket } from "./raw-socket.ts";
import { mirrored, serve, statelessBody, type Served } from "./support.ts";
import { testServer } from "../support/test-server.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

let calls = 0;
function server(): McpServer {
  const made = testServer({ onError: () => undefined });
  made.tool("hello", {}, () => (calls++, "Hello"));
  return made;
}

const params = { name: "hello" };
const BODY = JSON.stringify(statelessBody("tools/call", params));
const LINES = [
  "Content-Type: application/json",
  "Accept: application/json, text/event-stream",
  ...Object.entries(mirrored("tools/call", params)).map(([name, value]) => `${name}: ${value}`),
];
const head = (...more: string[]): string => ["POST /mcp HTTP/1.1", "Host: localhost", ...LINES, ...more, "", ""].join("\r\n");
const LENGTH = `Content-Length: ${BODY.length}`;

const EVIL = "Origin: https://evil.example";
const MANY = Array.from({ length: 100 }, (_, at) => `X-${at}: x`);

const stillServes = async (http: Served): Promise<void> => expect((await http.post("tools/call", params)).status).toBe(200);

describe("malformed heads are refused, and nothing runs [fault H6]", () => {
  test.each<[string, string, RegExp]>([
    ["a length and chunks", head(LENGTH, "Transfer-Encoding: chunked") + BODY, /^HTTP\/1\.1 400 /],
    ["two lengths", head(LENGTH, "Content-Length: 1") + BODY, /^HTTP\/1\.1 400 /],
    ["a length that is not a number", head("Content-Length: 1x") + BODY, /^HTTP\/1\.1 400 /],
    ["a negative length", head("Content-Length: -1") + BODY, /^HTTP\/1\.1 400 /],
    ["a folded header", head("X-Folded: a\r\n b", LENGTH) + BODY, /^HTTP\/1\.1 400 /],
    ["a space before the colon", head("X-Space : a", LENGTH) + BODY, /^HTTP\/1\.1 400 /],
    ["a carriage return in a value", head("X-Bad: a\rb", LENGTH) + BODY, /^HTTP\/1\.1 400 /],
    ["a NUL in a value", head("X-Bad: a\0b", LENGTH) + BODY, /^HTTP\/1\.1 400 /],
    ["100 KB of headers", head(`X-Large: ${"x".repeat(100_000)}`, LENGTH) + BODY, /^(?:HTTP\/1\.1 431 |$)/],
    ["101 headers", head(...Array.from({ length: 101 }, () => "X-More: x"), LENGTH) + BODY, /^HTTP\/1\.1 431 /],
    ["the origin of a page after 100 headers", head(...MANY, EVIL, LENGTH) + BODY, /^HTTP\/1\.1 431 /],
    ["no HTTP at all", "hello\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["a request line without a version", "GET /mcp\r\n\r\n", /^(?:HTTP\/1\.1 4\d\d |$)/],
    ["invalid chunks", head("Transfer-Encoding: chunked") + "zz\r\nxx\r\n", /^HTTP\/1\.1 400 /],
  ])("%s", async (_what, bytes, answer) => {
    const http = await serve(server());
    const before = calls;
    expect(await rawSocket(http.port, bytes)).toMatch(answer);
    expect(calls).toBe(before);
    await stillServes(http);
  });
});

test("a handler refuses what the server of its program would drop [rule R1]", async () => {
  const handler = toNodeHandler(server());
  const listener = createServer(handler).listen(0, "127.0.0.1");
  onTestFinished(() => void listener.close());
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const most = Array.from({ length: 2_000 }, () => "a:"); // Node keeps as many
  expect(await rawSocket(port, head(LENGTH, ...most, EVIL) + BODY)).toMatch(/^HTTP\/1\.1 431 /);
  await handler.close();
});

describe("what is unusual is served in order or refused [fault H16]", () => {
  test("pipelined requests get their responses in order", async () => {
    const http = await serve(server());
    const many = Array.from({ length: 100 }, (_, i) => {
      const body = JSON.stringify({ ...statelessBody("tools/call", params), id: i });
      return head(`Content-Length: ${body.length}`, ...(i === 99 ? ["Connection: close"] : [])) + body;
    });
    const answers = await rawSocket(http.port, many.join(""));
    expect([...answers.matchAll(/"id":(\d+)/g)].map((match) => Number(match[1]))).toEqual(
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  test("Expect: 100-continue gets 100", async () => {
    const http = await serve(server());
    const answer = await rawSocket(http.port, head(LENGTH, "Expect: 100-continue", "Connection: close") + BODY);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });

  test("Upgrade is not taken", async () => {
    const http = await serve(server());
    const answer = await rawSocket(
      http.port,
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n",
    );
    expect(answer).not.toMatch(/^HTTP\/1\.1 101 /);
  });

  test("an HTTP/1.0 request gets a response, and the connection is closed", async () => {
    const http = await serve(server());
    const answer = await rawSocket(http.port, head(LENGTH).replace("HTTP/1.1", "HTTP/1.0") + BODY);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain("Hello");
  });

  test("a chunked body is read", async () => {
    const http = await serve(server());
    const chunks = [BODY.slice(0, 7), BODY.slice(7)].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
    expect(await rawSocket(http.port, `${head("Transfer-Encoding: chunked", "Connection: close")}${chunks}0\r\n\r\n`)).toContain(
      "Hello",
    );
  });
});

describe("slow and vanishing clients [fault H7 fault H8]", () => {
  test("a client that goes in the middle of its body has asked for nothing [fault H8]", async () => {
    const http = await serve(server());
    const before = calls;
    await new Promise<void>((resolve) => {
      const socket = connect(http.port, "127.0.0.1", () =>
        socket.write(head(LENGTH) + BODY.slice(0, 20), () => socket.destroy()),
      );
      socket.on("close", () => resolve());
    });
    await stillServes(http);
    expect(calls).toBe(before + 1);
  });

  test.each([
    ["a head", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n", { headers: 100, request: 200 }],
    ["a body", head(LENGTH) + BODY.slice(0, 20), { headers: 100, request: 200 }],
  ])("%s that does not come is not waited for [fault H7]", async (_what, bytes, timeouts) => {
    const http = await serve(server(), { timeouts });
    expect(await rawSocket(http.port, bytes)).toMatch(/^HTTP\/1\.1 408 /);
    await stillServes(http);
  });
});

describe("a body that dribbles [fault H7]", () => {
  /** Sends a head and, once the endpoint waits for the body, its first bytes. What is returned collects the answer. */
  async function begin(
    port: number,
    ...more: string[]
  ): Promise<{ socket: Socket; answer: () => string; closed: Promise<void> }> {
    const socket = connect(port, "127.0.0.1", () => socket.write(head(LENGTH, "Expect: 100-continue", ...more)));
    onTestFinished(() => void socket.destroy());
    let text = "";
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("error", () => undefined).on("data", (chunk) => (text += String(chunk)));
    await expect.poll(() => text).toContain("100 Continue");
    socket.write(BODY.slice(0, 20));
    return { socket, answer: () => text.replace(/^.*100 Continue\r\n\r\n/s, ""), closed };
  }

  test.each(["serveHttp", "toNodeHandler"])("%s: is cut after its grace, and the error names the option", async (how) => {
    const clock = new VirtualClock();
    const before = calls;
    const port = how === "serveHttp" ? (await serve(server(), { clock })).port : await listen(toNodeHandler(server(), { clock }));
    const { answer, closed } = await begin(port);
    await clock.advance(5_000);
    expect(answer()).toBe("");
    await clock.advance(1_000);
    await closed; // by the server: the rest of the body would be read as the next request
    expect(answer()).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer()).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer()).toContain('less than 1024 bytes a second (limit \\"limits.minBodyRate\\")');
    expect(calls).toBe(before);
  });

  test("may take its time where the option says so", async () => {
    const clock = new VirtualClock();
    const http = await serve(server(), { clock, limits: { minBodyRate: 0 } });
    const { socket, answer, closed } = await begin(http.port, "Connection: close");
    await clock.advance(60_000);
    socket.write(BODY.slice(20));
    await closed;
    expect(answer()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("an invalid minimum is refused before anything listens", async () => {
    await expect(serveHttp(server(), { port: 0, limits: { minBodyRate: -1 } })).rejects.toThrow(
      '"limits.minBodyRate" must be a number >= 0',
    );
    expect(() => toNodeHandler(server(), { limits: { minBodyRate: NaN } })).toThrow(RangeError);
  });
});

async function listen(handler: NodeHandler): Promise<number> {
  const listener = createServer(handler);
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void listener.close());
  return (listener.address() as AddressInfo).port; // it listens on a port
}

test("responses never repeat what a client sent in headers", async () => {
  const http = await serve(server());
  const answer = await rawSocket(
    http.port,
    `${head(LENGTH, "Connection: close").replace("mcp-name: hello", "mcp-name: SECRET-123")}${BODY}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).not.toContain("SECRET");
});

describe("serveHttp starts the server when it listens", () => {
  test("its lifespan is open before the first request, and opened once", async () => {
    const opened: string[] = [];
    const made = new McpServer({ name: "s", version: "1" }, { lifespan: () => opened.push("open") });
    made.tool("hello", {}, () => "Hello");
    const http = await serve(made);
    expect(opened).toEqual(["open"]);
    await stillServes(http);
    expect(opened).toEqual(["open"]);
  });

  test("a lifespan that fails is what serveHttp fails with, and nothing listens", async () => {
    const port = await freePort();
    const made = new McpServer({ name: "s", version: "1" }, { lifespan: () => Promise.reject(new Error("No database")) });
    await expect(serveHttp(made, { port })).rejects.toThrow("No database");
    await expect(fetch(`http://127.0.0.1:${port}/mcp`)).rejects.toThrow("fetch failed");
  });
});
