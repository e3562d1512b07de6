import { equal } from "node:assert/strict";
import { BOTH, textOf } from "../../support/bench.mjs";

export async function test(bench) {
  for (const revision of BOTH) {
    const sample = ({ messages, maxTokens }) => {
      const [content] = [messages[0].content].flat();
      equal(maxTokens, 100);
      return { role: "assistant", model: "m", content: { type: "text", text: `short: ${content.text}` } };
    };
    const call = { name: "summarise", arguments: { text: "a long story" } };
    const client = await bench.stdio("server.ts", { revision, sample });
    equal(textOf(await client.callTool(call)), "short: Summarise: a long story");
    const without = await bench.stdio("server.ts", { revision });
    const result = await without.callTool(call).catch(() => ({ isError: true }));
    equal(result.isError, true);
  }
}
