// A model of OpenAI answers a question with the tools of an MCP server, in
// one loop that shows what happens. Needs OPENAI_API_KEY.
import OpenAI from "openai";
import { connect } from "tenon/client";
import { loop, openaiResponses } from "tenon/models";

await using client = await connect({
  command: "npx",
  args: ["tenon", "run", "server.ts"],
});

const provider = openaiResponses(new OpenAI(), { model: "gpt-5-mini" });
const messages = [
  { role: "user", content: process.argv[2] ?? "What is 1 + 2?" },
];
for await (const event of loop({
  provider,
  tools: client,
  messages,
  maxTurns: 10,
})) {
  if (event.type === "text") process.stdout.write(event.text);
  if (event.type === "call") console.error(`calls ${event.call.name}`);
  if (event.type === "end") console.log();
}
