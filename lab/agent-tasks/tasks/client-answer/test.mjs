import { equal } from "node:assert/strict";
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";

export async function test(bench) {
  cpSync(fileURLToPath(new URL("booking.ts", import.meta.url)), bench.path("booking.ts"));
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const program = bench.run("client.ts", { args: [revision, "booking.ts"], env: { SEAT: "7C" } });
    equal(await program.ended(), 0);
    equal(program.stdout.trim(), `7C paid on ${revision}, no mail`);
  }
}
