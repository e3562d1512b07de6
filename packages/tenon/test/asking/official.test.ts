/** A booking, asked by the official clients of both generations, over stdio and HTTP. Needs a build. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("fixtures/official.mjs", import.meta.url));
const run = promisify(execFile);

it.each([
  ["1", "2025-06-18"],
  ["1", "2025-11-25"],
  ["2", "2025-06-18"],
  ["2", "2025-11-25"],
  ["2", "2026-07-28"],
])("the official client of generation %s books a seat, %s [requirement H11 L1.3]", async (generation, revision) => {
  for (const how of ["stdio", "http"]) {
    const { stdout } = await run(process.execPath, [program, generation, how, revision], { timeout: 100_000 });
    expect(JSON.parse(stdout)).toEqual([revision, { seat: "12A", held: 2 }]);
  }
});
