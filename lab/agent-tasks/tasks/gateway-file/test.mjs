import { deepEqual, equal, rejects } from "node:assert/strict";
import { toolNames } from "../../support/bench.mjs";
import { freePort } from "../../../../scripts/free-port.mjs";

const env = { ADA_TOKEN: "ada-0123456789abcdef", BO_TOKEN: "bo-0123456789abcdef" };

export async function test(bench) {
  equal(/0123456789abcdef/.test(bench.read("mcp.json")), false, "a token stands in the file");
  const port = await freePort();
  const program = bench.command("tenon", ["gateway", "mcp.json", "--http", "--port", String(port), "--yes"], env);
  const url = `http://127.0.0.1:${port}/mcp`;
  await program.answers(url);
  const names = async (token, count) => toolNames(await bench.http(url, { token }), count);
  deepEqual(await names(env.ADA_TOKEN, 2), ["shop__buy", "shop__find"]);
  deepEqual(await names(env.BO_TOKEN, 1), ["shop__find"]);
  for (const token of [undefined, "somebody-0123456789"])
    await rejects(() => names(token, 0), "it serves callers without a token");
}
