import { deepEqual, equal } from "node:assert/strict";
import { BOTH, textOf } from "../../support/bench.mjs";

export async function test(bench) {
  for (const revision of BOTH) {
    const client = await bench.stdio("server.ts", { revision });
    equal(client.getInstructions(), "Sell tea.");
    const [tool] = (await client.listTools()).tools;
    deepEqual([tool?.name, tool?.description, tool?.annotations?.destructiveHint], ["order", "Order tea", true]);
    const { properties, required } = tool.inputSchema;
    deepEqual([required, Object.keys(properties).sort()], [["tea"], ["grams", "tea"]]);
    const { minimum, maximum, description, default: preset } = properties.grams;
    deepEqual({ minimum, maximum, description, preset }, { minimum: 1, maximum: 100, description: "How much", preset: 1 });
    deepEqual([...properties.tea.enum].sort(), ["black", "green"]);
    deepEqual(Object.keys(tool.outputSchema.properties).sort(), ["grams", "left", "tea"]);

    const order = (args) => client.callTool({ name: "order", arguments: args });
    deepEqual((await order({ tea: "green" })).structuredContent, { tea: "green", grams: 1, left: 4 });
    deepEqual((await order({ tea: "green", grams: 4 })).structuredContent, { tea: "green", grams: 4, left: 0 });
    const failed = await order({ tea: "black", grams: 3 });
    deepEqual([failed.isError, textOf(failed)], [true, "There are only 2 g of black tea"]);
    for (const args of [{ tea: "red" }, { tea: "black", grams: 0 }, { tea: "black", grams: 1.5 }])
      equal((await order(args).catch(() => ({ isError: true }))).isError, true, `${JSON.stringify(args)} is taken`);
    equal((await client.readResource({ uri: "stock://black" })).contents[0].text, "2 g");
    const { messages } = await client.getPrompt({ name: "advise", arguments: { mood: "tired" } });
    equal(messages[0].content.text, "Which tea fits if I feel tired?");
    await client.close();
  }
}
