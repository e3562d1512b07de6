import { equal } from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { textOf } from "../../support/bench.mjs";

export async function test(bench) {
  const { url, program } = await bench.serve();
  const client = await bench.http(url, { revision: "2026-07-28" });
  await client.listTools();
  const running = client.callTool({ name: "slow" });
  await pause(200);
  const started = performance.now();
  program.signal("SIGTERM");
  equal(textOf(await running), "done", "a running call has no result");
  equal(await program.ended(), 0);
  equal(performance.now() - started < 6_000, true, "it does not end within five seconds");
}
