import { deepEqual, equal, rejects } from "node:assert/strict";
import { BOTH } from "../../support/bench.mjs";

export async function test(bench) {
  for (const revision of BOTH) {
    const client = await bench.stdio("server.ts", { revision });
    const [prompt] = (await client.listPrompts()).prompts;
    equal(prompt?.name, "review");
    deepEqual(
      prompt.arguments?.map(({ name, required }) => [name, required]),
      [["language", true]],
    );
    const { messages } = await client.getPrompt({ name: "review", arguments: { language: "Rust" } });
    deepEqual(
      messages.map(({ role, content }) => [role, content.text]),
      [["user", "Review this Rust code."]],
    );
    const ref = { type: "ref/prompt", name: "review" };
    const { completion } = await client.complete({ ref, argument: { name: "language", value: "t" } });
    deepEqual([...completion.values].sort(), ["Tcl", "TypeScript"]);
    await rejects(() => client.getPrompt({ name: "review" }), "the argument is not required");
  }
}
