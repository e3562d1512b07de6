import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { GarbageReport, toSample } from "./garbage-report.ts";

test("a sample is printable ASCII of at most 200 bytes, whatever the line [S11]", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 250 }), (line) => {
      const sample = toSample(line);
      expect(sample).toMatch(/^"[\x20-\x7e]*"(\.\.\.)?$/);
      expect(Buffer.byteLength(sample)).toBeLessThanOrEqual(200);
    }),
  );
  expect(toSample('\u001b[31m"red"\u202e')).toBe('"\\u001b[31m\\u0022red\\u0022\\u202e"');
});

test("100 lines are reported, the others are counted [S11]", () => {
  const errors: Error[] = [];
  const report = new GarbageReport((error) => errors.push(error));
  for (let n = 0; n < 1000; n++) report.add(`line ${n}`);
  expect(errors).toHaveLength(100);
  expect(errors[99]?.message).toContain('"line 99"');
});

test("a minute after the first the rest is one summary, and lines are reported again [S11]", () => {
  vi.useFakeTimers({ toFake: ["performance"], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const errors: Error[] = [];
  const report = new GarbageReport((error) => errors.push(error));
  vi.advanceTimersByTime(59_000); // the minute does not begin with the process
  for (let n = 0; n < 130; n++) report.add("x");
  vi.advanceTimersByTime(59_999);
  report.add("x");
  expect(errors).toHaveLength(100);
  vi.advanceTimersByTime(1);
  report.add("again");
  expect(errors.slice(100).map(({ message }) => message)).toEqual([
    "The server wrote 31 more lines to its stdout that are not JSON",
    'The server wrote a line to its stdout that is not JSON: "again"',
  ]);
});
