// Clients that ask and do not read: what waits for them is bounded, counted and cut, whatever form the answer has.
import { connect, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { VirtualClock } from "../support/virtual-clock.ts";
import { mirrored, serve, statelessBody, type Served } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

/** More than the sockets of both ends take. */
const LARGE = 14_000_000;

function server(text = "x".repeat(LARGE)): McpServer {
  const made = testServer();
  made.tool("large", {}, () => text);
  made.tool("late", {}, async (_input, ctx) => {
    await ctx.progress(1);
    return text;
  });
  made.tool("small", {}, () => "small");
  return made;
}

interface Asked {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly body: JsonObject;
}

/** The bytes of a POST. */
function post({ headers, body }: Omit<Asked, "name">): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({ accept: "application/json, text/event-stream", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const length = `Content-Length: ${Buffer.byteLength(text)}`;
  return ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", length, ...lines, "", text].join("\r\n");
}

function stateless(name: string, accept?: string): Asked {
  const params = { name, _meta: { progressToken: 1 } };
  const headers = { ...mirrored("tools/call", params), ...(accept !== undefined && { accept }) };
  return { name, headers, body: statelessBody("tools/call", params) };
}

/** A client that asks and reads nothing until it is resumed. */
function asksWithoutReading(port: number, bytes: string): Socket {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(bytes);
  return socket;
}

const refusedWith = async (http: Served): Promise<unknown> => {
  const { status, headers, text } = await http.post("tools/call", { name: "small" });
  return status === 200 ? 200 : [status, headers["retry-after"], (JSON.parse(text) as { error: { data: unknown } }).error.data];
};
const FULL = [503, "5", { limit: "limits.maxUnsent" }];

/** Everything that still comes. */
async function rest(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  await closed;
  return Buffer.concat(chunks);
}

const forms: readonly (readonly [string, (http: Served) => Promise<Asked>])[] = [
  ["a JSON body", () => Promise.resolve(stateless("large"))],
  ["a stream of one event", () => Promise.resolve(stateless("large", "text/event-stream"))],
  ["the last event of a stream", () => Promise.resolve(stateless("late"))],
  [
    "an answer of a session",
    async (http) => {
      const { headers } = await http.open("2025-11-25");
      return { name: "large", headers, body: { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "large" } } };
    },
  ],
  [
    "the answers of a batch",
    async (http) => {
      const { headers } = await http.open("2025-03-26");
      const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "large" } };
      return { name: "large", headers, body: [call, { ...call, id: 3 }] as unknown as JsonObject };
    },
  ],
];

describe("a response that the client does not read [R8 fault H9 E5]", () => {
  test.each(forms)("%s: new requests are refused while it takes the budget of the process, and it is cut", async (_form, ask) => {
    const clock = new VirtualClock();
    const http = await serve(server(), {
      clock,
      streams: { keepAlive: 1_000 },
      limits: { maxStalled: 3_000, maxUnsent: 1_000_000 },
    });
    const stalled = asksWithoutReading(http.port, post(await ask(http)));
    await expect.poll(() => refusedWith(http)).toEqual(FULL);
    // As long as the sockets of both ends take some of it, the client counts as one that reads.
    await expect.poll(() => clock.advance(1_000).then(() => refusedWith(http))).toBe(200);
    expect((await rest(stalled)).length).toBeLessThan(LARGE);
  });

  test("what waits no longer counts when the client has read it", async () => {
    const http = await serve(server(), { limits: { maxUnsent: 1_000_000 } });
    const { headers, body } = stateless("large");
    const slow = asksWithoutReading(http.port, post({ headers: { ...headers, connection: "close" }, body }));
    await expect.poll(() => refusedWith(http)).toEqual(FULL);
    expect((await rest(slow)).length).toBeGreaterThan(LARGE);
    expect(await refusedWith(http)).toBe(200);
  });

  test("what waits no longer counts when the client has gone away", async () => {
    const http = await serve(server(), { limits: { maxUnsent: 1_000_000 } });
    const { headers, body } = stateless("large");
    const stalled = asksWithoutReading(http.port, post({ headers, body }));
    await expect.poll(() => refusedWith(http)).toEqual(FULL);
    stalled.destroy();
    await expect.poll(() => refusedWith(http)).toBe(200);
  });

  test("a client that reads slowly gets all of it, however long that takes", async () => {
    const clock = new VirtualClock();
    const http = await serve(server(), { clock, streams: { keepAlive: 10 }, limits: { maxStalled: 1_700 } });
    const { headers, body } = stateless("large");
    const slow = asksWithoutReading(http.port, post({ headers: { ...headers, connection: "close" }, body }));
    let read = 0;
    // `maxStalled` passes while 11 MB are read, which is more than the sockets of both ends hold. So the server has written
    // something by then; and all of it takes longer.
    const PIECE = 64 * 1024;
    slow.on("data", (chunk) => {
      read += chunk.length;
      slow.pause();
      const ms = 10 * Math.floor(read / PIECE) - clock.now();
      void clock.advance(ms).then(() => slow.resume());
    });
    const closed = new Promise((resolve) => slow.once("close", resolve));
    slow.resume();
    await closed;
    expect(read).toBeGreaterThan(LARGE);
    expect(clock.now()).toBeGreaterThan(1_700);
  });

  test("further requests of the same connection are refused, and nothing of them runs", async () => {
    const made = server();
    let calls = 0;
    made.tool("counted", {}, () => `${++calls}`);
    const http = await serve(made);
    const { headers, body } = stateless("counted");
    const last = post({ headers: { ...headers, connection: "close" }, body });
    const client = asksWithoutReading(http.port, post(stateless("large")) + post({ headers, body }).repeat(10) + last);
    const answers = (await rest(client)).toString("latin1");
    const refused = [...answers.matchAll(/HTTP\/1\.1 503 [^]*?\r\n\r\n(\{.*?\}\})/g)];
    expect(refused).toHaveLength(11);
    expect(answers).toContain('"limit":"limits.maxBuffered"');
    expect(calls).toBe(0);
  });

  test("a call that runs when the budget is used up gets an error that names the limit", async () => {
    const made = server();
    const { opened, open } = gate();
    const { opened: running, open: started } = gate();
    made.tool("waits", {}, async () => {
      started();
      await opened;
      return "y".repeat(100_000);
    });
    const http = await serve(made, { limits: { maxUnsent: 1_000_000 }, responseMode: "json" });
    const answer = http.post("tools/call", { name: "waits" });
    await running;
    const stalled = asksWithoutReading(http.port, post(stateless("large")));
    await expect.poll(() => refusedWith(http)).toEqual(FULL);
    open();
    const { status, json, headers } = await answer;
    expect([status, headers["retry-after"]]).toEqual([500, undefined]);
    expect(json).toMatchObject({ error: { code: -32603, data: { limit: "limits.maxUnsent", max: 1_000_000 } } });
    stalled.destroy();
  });

  test.each(["a stateless request", "a session", "a batch"])(
    "what runs as a stream when the budget is used up ends with an error that names the limit: %s",
    async (kind) => {
      const made = server();
      const { opened, open } = gate();
      let running = 0;
      made.tool("waits", {}, async (_input, ctx) => {
        await ctx.progress(1);
        running++;
        await opened;
        return "y".repeat(100_000);
      });
      const http = await serve(made, { limits: { maxUnsent: 1_000_000 } });
      const params = { name: "waits", _meta: { progressToken: 1 } };
      const call = (id: number): JsonObject => ({ jsonrpc: "2.0", id, method: "tools/call", params });
      const session =
        kind === "a stateless request" ? undefined : await http.open(kind === "a batch" ? "2025-03-26" : "2025-11-25");
      const answer =
        session === undefined ? http.post("tools/call", params) : session.send(kind === "a batch" ? [call(2), call(3)] : call(2));
      await expect.poll(() => running).toBe(kind === "a batch" ? 2 : 1);
      const stalled = asksWithoutReading(http.port, post(stateless("large")));
      await expect.poll(() => refusedWith(http)).toEqual(FULL);
      open();
      const { messages } = await answer;
      const last = [messages.at(-1)].flat();
      expect(last).toHaveLength(kind === "a batch" ? 2 : 1);
      for (const one of last)
        expect(one).toMatchObject({ error: { code: -32603, data: { limit: "limits.maxUnsent", max: 1_000_000 } } });
      const ids = kind === "a batch" ? [2, 3] : [session === undefined ? 1 : 2];
      expect(last.map((one) => (one as JsonObject)["id"])).toEqual(ids);
      stalled.destroy();
    },
  );

  test("drain waits until the client has read it", async () => {
    const http = await serve(server());
    const { headers, body } = stateless("large");
    const slow = asksWithoutReading(http.port, post({ headers, body }));
    await new Promise<void>((resolve) => slow.once("readable", resolve));
    const drained = http.drain(100_000);
    const [bytes] = await Promise.all([rest(slow), drained]);
    expect(bytes.length).toBeGreaterThan(LARGE);
  });
});

test.each(["é", "😀", "a😀"])("a large response of %j arrives unchanged, wherever it is cut for writing", async (unit) => {
  const text = unit.repeat(Math.ceil(2_000_000 / unit.length));
  const http = await serve(server(text));
  for (const accept of ["application/json", "text/event-stream"]) {
    const { messages, text: body } = await http.post("tools/call", { name: "large" }, { accept });
    const answer = accept === "application/json" ? (JSON.parse(body) as JsonObject) : messages[0];
    const [content] = (answer as { result: { content: { text: string }[] } }).result.content;
    expect(content?.text === text).toBe(true);
  }
});
