// A model of the AI SDK answers a question with the tools of an MCP server. Needs OPENAI_API_KEY; other providers work in the same way.
import { openai } from "@ai-sdk/openai";
import { dynamicTool, generateText, jsonSchema, stepCountIs, type ToolSet } from "ai";
import { connect } from "tenon/client";

await using client = await connect({ command: "npx", args: ["tenon", "run", "server.ts"] });

const tools: ToolSet = {};
for await (const { name, description = "", inputSchema } of client.tools()) {
  tools[name] = dynamicTool({
    description,
    inputSchema: jsonSchema(inputSchema),
    execute: async (input, { abortSignal }) => {
      const { isError, text } = await client.callTool(name, input as Record<string, unknown>, abortSignal && { signal: abortSignal });
      if (isError) throw new Error(text); // the SDK shows it to the model
      return text;
    },
  });
}

const prompt = process.argv[2] ?? "What is 1 + 2?";
const { text } = await generateText({ model: openai("gpt-5-mini"), prompt, tools, stopWhen: stepCountIs(10) });
console.log(text);
