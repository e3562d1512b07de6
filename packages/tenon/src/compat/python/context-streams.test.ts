/** Streams of messages inside one process, and the context they carry. */
import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { ConnectionClosedError, McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { captureContext } from "../../base/async-context.ts";
import { createContextStreams } from "./context-streams.ts";
import type { SessionMessage } from "../../transport/session-message.ts";

const message = (method: string): SessionMessage => ({ message: { jsonrpc: "2.0", method } });

/** Whether a promise has settled after everything that was ready has run. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  let done = false;
  void promise.then(
    () => (done = true),
    () => (done = true),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe("A stream without a buffer [SM-10]", () => {
  it("sending waits for the reader [SM-05 SM-06]", async () => {
    const [write, read] = createContextStreams();
    const sent = write.send(message("a"));
    expect(await settled(sent)).toBe(false);
    expect(await read[Symbol.asyncIterator]().next()).toEqual({ done: false, value: message("a") });
    await sent;
  });

  it("a reader may wait first, and errors are values [SM-05]", async () => {
    const [write, read] = createContextStreams();
    const items = read[Symbol.asyncIterator]();
    const next = items.next();
    await write.send(new Error("could not be read"));
    expect(await next).toEqual({ done: false, value: new Error("could not be read") });
    const after = items.next();
    await write.send(message("b"));
    expect(await after).toMatchObject({ value: message("b") });
  });

  it("has one reader [SM-05]", async () => {
    const [write, read] = createContextStreams();
    const items = read[Symbol.asyncIterator]();
    const next = items.next();
    await expect(items.next()).rejects.toThrow(McpUsageError);
    await write.send(message("a"));
    expect(await next).toMatchObject({ done: false });
  });
});

it("with a buffer sending waits only when it is full [SM-10]", async () => {
  const [write, read] = createContextStreams(2);
  await write.send(message("a"));
  await write.send(message("b"));
  const third = write.send(message("c"));
  expect(await settled(third)).toBe(false);
  const items = read[Symbol.asyncIterator]();
  expect(await items.next()).toMatchObject({ value: message("a") });
  await third;
  for (const capacity of [-1, 0.5, Number.NaN]) expect(() => createContextStreams(capacity)).toThrow(RangeError);
});

it("the end of writing is the end of reading, after what was sent; closing may be repeated [SM-05 SM-06]", async () => {
  const [write, read] = createContextStreams(1);
  await write.send(message("a"));
  await write[Symbol.asyncDispose]();
  await write[Symbol.asyncDispose]();
  await expect(write.send(message("b"))).rejects.toThrow(ConnectionClosedError);
  const seen: unknown[] = [];
  for await (const item of read) seen.push(item);
  expect(seen).toEqual([message("a")]);
  expect(await read[Symbol.asyncIterator]().next()).toEqual({ done: true, value: undefined });
});

it("after the reader has left, sending fails, and so does what waited [SM-06]", async () => {
  const [write, read] = createContextStreams();
  const waiting = write.send(message("a"));
  const failure = expect(waiting).rejects.toThrow(ConnectionClosedError);
  await read[Symbol.asyncDispose]();
  await read[Symbol.asyncDispose]();
  await failure;
  await expect(write.send(message("b"))).rejects.toThrow(ConnectionClosedError);
});

it("lastContext is that of the item read last, until the next is read [SM-09 CV-12]", async () => {
  const storage = new AsyncLocalStorage<string>();
  const [write, read] = createContextStreams(2);
  await storage.run("first", () => write.send(message("a")));
  await storage.run("second", () => write.send(message("b")));
  const items = read[Symbol.asyncIterator]();
  expect(read.lastContext).toBeUndefined();
  for (const name of ["first", "second"]) {
    await items.next();
    expect(read.lastContext!(() => storage.getStore())).toBe(name);
    await Promise.resolve();
    expect(read.lastContext!(() => storage.getStore())).toBe(name);
  }
  expect(storage.getStore()).toBeUndefined();
});

it("on a runtime without contexts none is carried [SM-09 CV-12]", () => {
  expect(captureContext()).toBeUndefined();
});
