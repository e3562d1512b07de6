import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { WriteQueue, type Piece } from "./write-queue.ts";

test("over the limit the oldest droppable lines go, the others stay in order [T3]", () => {
  const queue = new WriteQueue(10);
  expect(queue.push("aaaa", true, true)).toBe(true);
  expect(queue.push("bb", false, true)).toBe(true);
  expect(queue.push("cccc", true, true)).toBe(true);
  expect(queue.push("dddd", true, true)).toBe(true);
  expect(queue.takeDropped()).toBe(1);
  expect(queue.take(100)).toEqual(["bbccccdddd"]);
  expect(queue.take(100)).toEqual([]);
});

test("without room a droppable line is dropped, a request is refused, and a response is taken [T3 S17]", () => {
  const queue = new WriteQueue(4);
  expect(queue.push("aaaa", false, true)).toBe(true);
  expect(queue.push("b", true, true)).toBe(false);
  expect(queue.push("c", false, false)).toBe(false);
  expect(queue.push("dddd", false, true)).toBe(true);
  expect(queue.takeDropped()).toBe(1);
  expect(queue.takeDropped()).toBe(0);
  expect(queue.take(1)).toEqual(["aaaa"]);
  expect(queue.take(1)).toEqual(["dddd"]);
});

test("bytes keep their place between texts, and count", () => {
  const queue = new WriteQueue(10);
  const bytes = new Uint8Array(4);
  expect(queue.push("aa", false, true)).toBe(true);
  expect(queue.push("h", false, true)).toBe(true);
  expect(queue.push(bytes, false, true)).toBe(true);
  expect(queue.push("bb", false, false)).toBe(true);
  expect(queue.push("cc", false, false)).toBe(false);
  expect(queue.take(4)).toEqual(["aah", bytes]);
  expect(queue.push("dddddddd", false, false)).toBe(true);
  expect(queue.take(100)).toEqual(["bbdddddddd"]);
  expect(queue.push(bytes, false, true)).toBe(true);
  expect(queue.take(100)).toEqual([bytes]);
});

test("memory of entries that were taken is freed, also if the queue is never empty [S17 R8]", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const queue = new WriteQueue(1024);
  const all: WeakRef<Uint8Array>[] = [];
  for (let n = 0; n < 100; n++) {
    const bytes = new Uint8Array(8);
    all.push(new WeakRef(bytes));
    queue.push(bytes, false, true);
    if (n > 0) queue.take(1);
  }
  await new Promise(setImmediate);
  collectGarbage();
  expect(all.filter((bytes) => bytes.deref() !== undefined).length).toBeLessThan(3);
  expect(queue.take(100)).toHaveLength(1);
});

test("exactly at the limit is taken; bytes count, not characters [F8]", () => {
  const queue = new WriteQueue(6);
  expect(queue.push("€€", false, false)).toBe(true);
  expect(queue.push("a", false, false)).toBe(false);
});

test("whatever is pushed and taken: order is kept, what must stay stays, the rest is limited, each line is counted [T3]", () => {
  const line = fc.record({
    size: fc.integer({ min: 1, max: 40 }),
    droppable: fc.boolean(),
    always: fc.boolean(),
    takeAfter: fc.nat(3),
  });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
      const queue = new WriteQueue(100);
      const written: number[] = [];
      const read = (pieces: Piece[]): void =>
        void written.push(...[...pieces.join("").matchAll(/(\d+)x*;/g)].map((match) => Number(match[1])));
      let refused = 0;
      lines.forEach(({ size, droppable, always, takeAfter }, n) => {
        const added = queue.push(`${n}${"x".repeat(size)};`, droppable, always);
        if (!added && !droppable) refused++;
        if (!droppable && always) expect(added).toBe(true);
        if (takeAfter === 0) read(queue.take(50));
      });
      for (let pieces = queue.take(50); pieces.length > 0; pieces = queue.take(50)) read(pieces);
      expect(written).toEqual(written.toSorted((a, b) => a - b));
      const mustStay = lines.flatMap(({ droppable, always }, n) => (!droppable && always ? [n] : []));
      expect(written).toEqual(expect.arrayContaining(mustStay));
      expect(written.length + queue.takeDropped() + refused).toBe(lines.length);
    }),
  );
});
