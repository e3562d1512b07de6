import fc from "fast-check";
import { expect, it } from "vitest";
import { GatheredBytes } from "./gathered-bytes.ts";

it("whatever the chunks, all bytes are there, in order, in few pieces [rule R6]", () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 10 }),
    fc.integer({ min: 1, max: 9_000 }).map((length) => new Uint8Array(length).fill(length % 251)),
  );
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 60 }), (chunks) => {
      const gathered = new GatheredBytes();
      for (const one of chunks) gathered.add(one);
      const whole = Buffer.concat(chunks);
      expect(gathered.length).toBe(whole.length);
      const pieces = gathered.pieces();
      expect(Buffer.concat(pieces)).toEqual(whole);
      expect(pieces.length).toBeLessThanOrEqual(1 + (2 * whole.length) / 4_096);
    }),
  );
});

it("a small chunk is copied, a large one is not", () => {
  const gathered = new GatheredBytes();
  const [small, large] = [new Uint8Array([1, 2]), new Uint8Array(5_000)];
  gathered.add(small);
  gathered.add(large);
  small.fill(0);
  expect(gathered.pieces()).toEqual([new Uint8Array([1, 2]), large]);
  expect(gathered.pieces()[1]).toBe(large);
});
