import { deepEqual, equal, match } from "node:assert/strict";
import { BOTH, textOf } from "../../support/bench.mjs";

export async function test(bench) {
  for (const revision of BOTH) {
    const client = await bench.stdio("server.ts", { revision });
    const [tool] = (await client.listTools()).tools;
    equal(tool?.name, "divide");
    deepEqual(Object.keys(tool.inputSchema.properties ?? {}).sort(), ["a", "b"]);
    equal(tool.annotations?.readOnlyHint, true, "the tool does not say that it only reads");
    const result = await client.callTool({ name: "divide", arguments: { a: 9, b: 2 } });
    deepEqual(result.structuredContent, { quotient: 4.5 });
    const failed = await client.callTool({ name: "divide", arguments: { a: 1, b: 0 } });
    equal(failed.isError, true, "a division by 0 is no failure");
    match(textOf(failed), /divisor|\bb\b/i);
    const refused = await client
      .callTool({ name: "divide", arguments: { a: "one", b: 2 } })
      .catch((error) => ({ isError: true, error }));
    equal(refused.isError, true, "a text is taken for a number");
  }
}
