import { deepEqual, equal } from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { eventually } from "../../support/bench.mjs";

export async function test(bench) {
  let [duration, stopped] = [0, 0];
  const server = new McpServer({ name: "slow", version: "1.0.0" });
  server.tool("wait", {}, async (_, ctx) => {
    ctx.signal.addEventListener("abort", () => (stopped += 1));
    await pause(duration, undefined, { signal: ctx.signal });
    return "here it is";
  });
  const http = await serveHttp(server, { port: 0 });
  bench.later(() => http.close());
  const run = async (limit) => {
    const program = bench.run("client.ts", { args: [http.url, String(limit)] });
    return [await program.ended(), program.stdout.trim()];
  };
  deepEqual(await run(15_000), [0, "here it is"]);
  duration = 60_000;
  deepEqual(await run(500), [4, "too slow"]);
  equal(
    await eventually(
      () => stopped,
      (count) => count > 0,
    ),
    1,
    "the server goes on working",
  );
}
