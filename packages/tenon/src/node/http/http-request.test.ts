import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { readBody } from "./http-request.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Sends chunks of 1 KB that add up to a text. Returns what there is of them once the body was read or refused. */
async function send(request: PassThrough, chunks: number, max: number): Promise<{ outcome: unknown; kept: number }> {
  const sent: WeakRef<Buffer>[] = [];
  const body = readBody(request as unknown as IncomingMessage, { maxBytes: max }); // as much of one as is read
  const outcome = Promise.resolve(body).then(
    (text) => text.length,
    (error: unknown) => String(error),
  );
  for (let n = 0; n < chunks; n++) {
    const chunk = Buffer.alloc(1_000, "a");
    sent.push(new WeakRef(chunk));
    request.write(chunk);
    await new Promise(setImmediate);
  }
  request.end();
  const result = await outcome;
  await new Promise(setImmediate);
  collectGarbage();
  return { outcome: result, kept: sent.filter((chunk) => chunk.deref() !== undefined).length };
}

test("a request that goes on does not hold the bytes of its body [rule R6]", async () => {
  const request = new PassThrough();
  const { outcome, kept } = await send(request, 50, 100_000);
  expect(outcome).toBe(50_000);
  expect(kept).toBeLessThan(3);
  expect(request.listenerCount("data")).toBeGreaterThan(0);
});

test("nor those of one that was too large [rule R6]", async () => {
  const request = new PassThrough();
  const { outcome, kept } = await send(request, 50, 20_000);
  expect(outcome).toContain("limits.maxBodyBytes");
  expect(kept).toBeLessThan(3);
  expect(request.listenerCount("data")).toBeGreaterThan(0);
});

test("a body that comes byte by byte costs little more than its bytes, also while it comes [rule R6]", async () => {
  const request = new PassThrough();
  const body = readBody(request as unknown as IncomingMessage, { maxBytes: 100_000 }); // as above
  const sent: WeakRef<Buffer>[] = [];
  for (let n = 0; n < 10_000; n++) {
    const chunk = Buffer.alloc(1, "a");
    if (n > 0) sent.push(new WeakRef(chunk));
    request.write(chunk);
    if (n % 100 === 99) await new Promise(setImmediate);
  }
  collectGarbage();
  expect(sent.filter((chunk) => chunk.deref() !== undefined).length).toBeLessThan(3);
  request.end();
  expect((await body).length).toBe(10_000);
});

/** Reads a body that arrives in chunks of that many bytes. */
async function readChunks(bytes: Buffer, size: number): Promise<string> {
  const request = new PassThrough({ highWaterMark: bytes.length });
  const body = readBody(request as unknown as IncomingMessage, { maxBytes: bytes.length }); // as much of one as is read
  for (let at = 0; at < bytes.length; at += size) request.write(bytes.subarray(at, at + size));
  request.end();
  return body;
}

test.for([1_000, 65_535, 1_048_577])(
  "a long body is read whole, wherever chunks of %i bytes cut its characters",
  async (size) => {
    const text = "a€\u{1F600}é".repeat(300_000);
    expect((await readChunks(Buffer.from(text), size)) === text).toBe(true);
  },
);

test("a long body that is not UTF-8 is refused, at its beginning and at its end", async () => {
  const bytes = Buffer.from("€".repeat(800_000));
  for (const at of [1, 1_000_000, bytes.length - 1]) {
    const broken = Buffer.from(bytes);
    broken[at] = 0xff;
    await expect(readChunks(broken, 65_536)).rejects.toThrow("not UTF-8");
  }
  await expect(readChunks(bytes.subarray(0, -1), 65_536)).rejects.toThrow("not UTF-8");
});
