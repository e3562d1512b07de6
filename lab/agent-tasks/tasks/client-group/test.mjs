import { equal } from "node:assert/strict";

export async function test(bench) {
  const program = bench.run("client.ts");
  equal(await program.ended(), 0);
  equal(program.stdout.trim(), "north: snow\nlost: unreachable\nsouth: sun");
}
