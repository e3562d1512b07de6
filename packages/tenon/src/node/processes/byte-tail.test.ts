import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteTail } from "./byte-tail.ts";

const CAPACITY = 64 * 1024;

test("the tail of anything written is its last 64 KiB [S16]", () => {
  const sizes = fc.array(fc.oneof(fc.nat(200), fc.nat(100_000), fc.constant(CAPACITY)), { maxLength: 8 });
  fc.assert(
    fc.property(sizes, fc.nat(CAPACITY), (chunks, shown) => {
      const tail = new ByteTail();
      let all = "";
      for (const [n, size] of chunks.entries()) {
        const text = String.fromCharCode(97 + n).repeat(size);
        tail.write(Buffer.from(text));
        all += text;
      }
      expect(tail.text()).toBe(all.slice(-CAPACITY));
      expect(tail.text(shown)).toBe(shown === 0 ? "" : all.slice(-shown));
    }),
    { numRuns: 50 },
  );
});

test("a character that the beginning cuts in two is left out [S16]", () => {
  const tail = new ByteTail();
  tail.write(Buffer.from("€uro"));
  expect(tail.text(5)).toBe("uro");
  expect(tail.text()).toBe("€uro");
});
