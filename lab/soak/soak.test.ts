/** The shortest soak that says something, and its negative control. The hour of it is `npm run soak`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lowerEnvelope, theilSen } from "./slope.mjs";

const SCRIPT = fileURLToPath(new URL("soak.mjs", import.meta.url));
/** It waits for the garbage collectors of two processes after each of sixteen cycles. */
const TIMEOUT = 900_000;

function soak(...flags: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, "--minutes", "0", "--rounds", "6", ...flags], (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

test.concurrent(
  "after calls, cancels, timeouts, sessions and connections that are cut nothing is left in either process [fault Z4]",
  { timeout: TIMEOUT },
  async ({ expect }) => {
    const { status, output } = await soak();
    expect(output).toContain("nothing grows");
    expect(output).toMatch(/^server: heap .* descriptors \d+ -> \d+, timers \d+ -> \d+$/m);
    expect(status).toBe(0);
  },
);

test.concurrent(
  "a server that keeps 256 bytes and more of each request is found out [fault Z4]",
  { timeout: TIMEOUT },
  async ({ expect }) => {
    const { status, output } = await soak("--leak");
    expect(output).toMatch(/server: its heap grows by \d+ bytes in 1 000 operations/);
    expect(output).toContain("the leak was found");
    expect(status).toBe(0);
  },
);

test("the slope is that of the lowest samples: garbage that comes and goes has none, a leak below it has", () => {
  const sawtooth = Array.from({ length: 40 }, (_, cycle) => ({ x: cycle, y: 1_000 + (cycle % 7) * 100 }));
  expect(theilSen(lowerEnvelope(sawtooth))).toBe(0);
  const leaking = sawtooth.map(({ x, y }) => ({ x, y: y + 3 * x }));
  expect(theilSen(lowerEnvelope(leaking))).toBeCloseTo(3, 1);
  const outlier = sawtooth.map((point) => (point.x === 39 ? { ...point, y: 1_000_000 } : point));
  expect(theilSen(lowerEnvelope(outlier))).toBe(0);
  expect(theilSen([])).toBe(0);
});
