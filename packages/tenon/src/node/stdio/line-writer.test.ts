import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { JsonText, type JsonObject, type JSONRPCMessage } from "../../jsonrpc/message.ts";
import { ConnectionClosedError, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { LineWriter } from "./line-writer.ts";

/** A stream whose reader takes one write at a time, when told to. */
class SlowStream extends Writable {
  readonly writes: string[] = [];
  #taken: (() => void) | undefined;

  constructor(highWaterMark = 64 * 1024) {
    super({ highWaterMark, decodeStrings: true });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes.push(chunk.toString());
    this.#taken = done;
  }

  async take(): Promise<void> {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
    await new Promise(setImmediate);
  }
}

const notification = (n: number, method = "x"): JSONRPCMessage => ({ jsonrpc: "2.0", method, params: { n } });
const line = (message: JSONRPCMessage): string => `${JSON.stringify(message)}\n`;

test("what is sent while the writer is corked leaves when it no longer is, in one write [ST-65]", async () => {
  const stream = new SlowStream();
  const writer = new LineWriter(stream, { onClosed: () => undefined });
  writer.cork();
  for (let n = 0; n < 2; n++) void writer.send(notification(n));
  await new Promise(setImmediate);
  expect(stream.writes).toEqual([]);
  writer.uncork();
  expect(stream.writes).toEqual([line(notification(0)) + line(notification(1))]);
});

test("the messages of one turn leave in one write, at once after it [ST-40 ST-65]", async () => {
  const stream = new SlowStream();
  const writer = new LineWriter(stream, { onClosed: () => undefined });
  for (let n = 0; n < 3; n++) expect(writer.send(notification(n))).toBeUndefined();
  expect(stream.writes).toEqual([]);
  await new Promise(setImmediate);
  expect(stream.writes).toEqual([[0, 1, 2].map((n) => line(notification(n))).join("")]);
});

test.each([
  ["encoded here", (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: "x", params: { text } })],
  [
    "encoded before",
    (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", id: 1, result: new JsonText(JSON.stringify({ text })) }),
  ],
])("a message %s is one line of UTF-8, whatever its texts hold [C.1]", async (_how, of) => {
  const stream = new SlowStream();
  const writer = new LineWriter(stream, { onClosed: () => undefined });
  const text = "a\nb\r\nc\u2028\u2029\u0000é€\u{1f600}\ud800";
  void writer.send(of(text));
  await new Promise(setImmediate);
  const written = stream.writes.join("");
  expect(written.match(/[\r\n]/g)).toEqual(["\n"]);
  expect(written.endsWith("}\n")).toBe(true);
  const { params, result = params } = JSON.parse(written) as { params?: JsonObject; result?: JsonObject };
  expect(result).toEqual({ text });
});

test("the first of many messages is read before the last is made, in growing writes, anew each turn [ST-40]", async () => {
  const written: string[] = [];
  const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => (written.push(chunk.toString()), done()) });
  const writer = new LineWriter(stream, { onClosed: () => undefined });
  const sizes = async (messages: number): Promise<number[]> => {
    written.length = 0;
    const sent = Array.from({ length: messages }, (_, n) => notification(n));
    for (const message of sent) void writer.send(message);
    await new Promise(setImmediate);
    expect(written.join("")).toBe(sent.map(line).join(""));
    return written.map((text) => Math.floor(text.length / 1024));
  };
  expect(await sizes(6000)).toEqual([4, 8, 16, 32, 64, 64, 64, 45]);
  expect(await sizes(100)).toEqual([4, 0]);
});

test("a large ready-made result is written as it stands, between what was sent before and after", async () => {
  const stream = new SlowStream(16);
  const writer = new LineWriter(stream, { onClosed: () => undefined });
  const text = JSON.stringify({ text: "é\\n".repeat(20_000) });
  const flushed = writer.flush(10_000);
  void writer.send(notification(0));
  void writer.send({ jsonrpc: "2.0", id: 'a"b', result: new JsonText(text, true) });
  void writer.send(notification(1));
  while (!stream.writes.join("").endsWith(line(notification(1)))) await stream.take();
  expect(stream.writes.join("")).toBe(
    `${line(notification(0))}{"jsonrpc":"2.0","id":"a\\"b","result":${text}}\n${line(notification(1))}`,
  );
  await stream.take();
  expect(await flushed).toBe(true);
});

test("send waits while the stream is full, and order is kept [ST-43]", async () => {
  const stream = new SlowStream(16);
  const writer = new LineWriter(stream, { onClosed: () => undefined });
  void writer.send(notification(0));
  await new Promise(setImmediate);
  let sent = false;
  const waiting = Promise.resolve(writer.send(notification(1))).then(() => (sent = true));
  await new Promise(setImmediate);
  expect(sent).toBe(false);
  await stream.take();
  expect(sent).toBe(false);
  await stream.take();
  await waiting;
  expect(stream.writes).toEqual([line(notification(0)), line(notification(1))]);
});

test("while the stream is full: progress goes first, requests are refused, the loss is reported once [T3 S17]", async () => {
  const stream = new SlowStream(16);
  const told: Error[] = [];
  const writer = new LineWriter(stream, {
    maxQueuedBytes: 300,
    onClosed: () => undefined,
    onDropped: (error) => told.push(error),
  });
  void writer.send(notification(0));
  await new Promise(setImmediate);
  for (let n = 1; n <= 20; n++) void writer.send(notification(n, "notifications/progress"));
  expect(() => writer.send({ jsonrpc: "2.0", id: 1, method: "x", params: { text: "y".repeat(300) } })).toThrow(
    LimitExceededError,
  );
  void writer.send({ jsonrpc: "2.0", id: 2, result: { text: "z".repeat(300) } });
  for (let n = 0; n < 5; n++) await stream.take();
  expect(stream.writes.join("")).toBe(line(notification(0)) + line({ jsonrpc: "2.0", id: 2, result: { text: "z".repeat(300) } }));
  expect(told.map(({ message }) => message)).toEqual([
    '20 progress or log messages were dropped: the peer reads too slowly (limit "limits.maxQueuedBytes" of 300)',
  ]);
});

test("a stream that fails: what waits is rejected, what comes is refused, its owner is notified once [S10 ST-42]", async () => {
  const stream = new SlowStream(16);
  const causes: unknown[] = [];
  const writer = new LineWriter(stream, { onClosed: (cause) => causes.push(cause) });
  void writer.send(notification(0));
  await new Promise(setImmediate);
  const waiting = Promise.resolve(writer.send(notification(1)));
  const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  stream.destroy(error);
  await expect(waiting).rejects.toThrow(new ConnectionClosedError("Connection closed: write EPIPE"));
  expect(() => writer.send(notification(2))).toThrow(ConnectionClosedError);
  expect(causes).toEqual([error]);
  expect(await writer.flush(10_000)).toBe(false);
});

test("flush is bounded if the peer does not read [ST-51]", async () => {
  const writer = new LineWriter(new SlowStream(16), { onClosed: () => undefined });
  void writer.send(notification(0));
  expect(await writer.flush(5)).toBe(false);
});
