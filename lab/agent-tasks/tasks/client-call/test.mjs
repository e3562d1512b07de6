import { deepEqual, equal, ok } from "node:assert/strict";
import { startSums } from "../../support/sums-server.mjs";

export async function test(bench) {
  const run = async (url, env = {}) => {
    const program = bench.run("client.ts", { args: [url, "20", "22"], env });
    return { code: await program.ended(), out: program.stdout.trim(), said: program.stderr.trim() };
  };
  const { code, out } = await run(await startSums(bench));
  deepEqual([code, out], [0, "42"]);
  const guarded = await startSums(bench, { token: "secret-token" });
  equal((await run(guarded, { TOKEN: "secret-token" })).out, "42");
  const refused = await run(guarded, { TOKEN: "wrong" });
  deepEqual([refused.code, refused.out], [1, ""]);
  ok(refused.said.length > 0 && !refused.said.includes("    at "), "it does not say what happened, or ends with a stack");
}
