import { equal, rejects } from "node:assert/strict";
import { textOf } from "../../support/bench.mjs";

const env = { TOKEN_ADA: "ada-0123456789abcdef", TOKEN_BO: "bo-0123456789abcdef" };

export async function test(bench) {
  const { url } = await bench.serve("server.ts", { env });
  const count = async (token, revision) => {
    const client = await bench.http(url, { token, revision });
    return textOf(await client.callTool({ name: "count" }));
  };
  equal(await count(env.TOKEN_ADA, "2025-11-25"), "1");
  equal(await count(env.TOKEN_ADA, "2026-07-28"), "2");
  equal(await count(env.TOKEN_BO, "2026-07-28"), "1", "the count of one caller is another's");
  equal(await count(env.TOKEN_ADA, "2025-11-25"), "3");
  for (const token of [undefined, "ada", "", `${env.TOKEN_ADA}x`])
    await rejects(() => bench.http(url, { token }), "it is served without a token");
}
