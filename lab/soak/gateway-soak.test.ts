/** The shortest soak of a gateway that says something, and its negative control. The hour of it is `npm run soak:gateway`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("gateway-soak.mjs", import.meta.url));
/** It waits for the garbage collector after each of twelve cycles. */
const TIMEOUT = 900_000;

function soak(...flags: string[]): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, "--minutes", "0", "--callers", "20", ...flags], (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

test(
  "no caller gets what is another's, and nothing grows, while 20 of 50 servers lie, stall, end or flood",
  { timeout: TIMEOUT },
  async () => {
    const { status, output } = await soak();
    expect(output).toContain("nothing grows, and no caller gets what is another's");
    expect(output).toMatch(/\d+ operations, \d+ texts searched, \d+ connections; heap /);
    expect(status).toBe(0);
  },
);

test("a gateway that gives a caller the text of the one before is found out", { timeout: TIMEOUT }, async () => {
  const { status, output } = await soak("--mix");
  expect(output).toMatch(/foreign mark: a message for caller \d+ has MARK-\d+-/);
  expect(output).toContain("the mix was found");
  expect(status).toBe(0);
});
