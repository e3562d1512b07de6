import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConnectionClosedError } from "../jsonrpc/mcp-error.ts";
import type { JSONRPCNotification } from "../jsonrpc/message.ts";
import { ReceiveQueue } from "./receive-queue.ts";

const item = (n: number): JSONRPCNotification => ({ jsonrpc: "2.0", method: String(n) });

describe("ReceiveQueue", () => {
  it("is a queue: first in, first out, whatever the order of pushing and receiving [SM-05 BS-52]", async () => {
    // Positive: so many are pushed; negative: so many are received.
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: -1500, max: 1500 }), { maxLength: 12 }), async (steps) => {
        const queue = new ReceiveQueue();
        let pushed = 0;
        let received = 0;
        const read: Promise<unknown>[] = [];
        for (const step of steps) {
          for (let i = 0; i < step; i++) queue.push(item(pushed++), 3);
          for (let i = 0; i > step && received < pushed; i--) {
            expect(queue.receive()).toEqual(item(received++));
          }
          expect(queue.size).toBe(pushed - received);
          expect(queue.characters).toBe(3 * queue.size);
          if (queue.size > 0) continue;
          // A reader that has to wait gets the next one.
          read.push(Promise.resolve(queue.receive()));
          queue.push(item(pushed++), 3);
          expect(await read.at(-1)).toEqual(item(received++));
        }
      }),
    );
  });

  it("delivers what waits, then rejects with the first reason for ending; what comes later is dropped [BS-48]", async () => {
    const queue = new ReceiveQueue();
    queue.push(item(1), 1);
    queue.end(new ConnectionClosedError("first"));
    queue.end(new ConnectionClosedError("second"));
    queue.push(item(2), 1);
    expect(queue.ended).toBe(true);
    expect(queue.receive()).toEqual(item(1));
    for (let i = 0; i < 2; i++) await expect(queue.receive()).rejects.toThrow("first");
  });

  it("a waiting reader is rejected at the end [BS-48]", async () => {
    const queue = new ReceiveQueue();
    const waiting = queue.receive();
    queue.end(new ConnectionClosedError("gone"));
    await expect(waiting).rejects.toThrow("gone");
  });
});
