// A model of the AI SDK answers a question with the tools of an MCP server.
// Needs OPENAI_API_KEY; other providers work in the same way.
import { openai } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";
import { connect } from "tenon/client";
import { toAISDK } from "tenon/models";

await using client = await connect({
  command: "npx",
  args: ["tenon", "run", "server.ts"],
});
const { tools } = await toAISDK(client);

const prompt = process.argv[2] ?? "What is 1 + 2?";
const { text } = await generateText({
  model: openai("gpt-5-mini"),
  prompt,
  tools,
  stopWhen: stepCountIs(10),
});
console.log(text);
