import { equal, throws } from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export async function test(bench) {
  cpSync(fileURLToPath(new URL("kitchen.ts", import.meta.url)), bench.path("kitchen.ts"));
  const program = bench.run("client.ts", { args: ["kitchen.ts"], env: { PID_FILE: bench.path("pid") } });
  equal(await program.ended(), 0);
  equal(program.stdout.trim(), "20\n21\n22");
  await pause(500); // it is ending
  throws(() => process.kill(Number(readFileSync(bench.path("pid"), "utf8")), 0), "the server is left running");
}
