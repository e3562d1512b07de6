import { deepEqual } from "node:assert/strict";
import { freePort } from "../../../../scripts/free-port.mjs";
import { startSums } from "../../support/sums-server.mjs";

export async function test(bench) {
  const url = await startSums(bench, {});
  const run = async (...args) => {
    const program = bench.run("client.ts", { args });
    return [await program.ended(), program.stdout.trim()];
  };
  deepEqual(await run(url, "broken"), [1, "failed: the disk is full"]);
  deepEqual(await run(url, "nothing"), [2, "refused: -32602"]);
  deepEqual(await run(`http://127.0.0.1:${await freePort()}/mcp`, "broken"), [3, "unreachable"]);
  deepEqual(await run(url, "hello"), [0, "ok: Hello!"]);
}
