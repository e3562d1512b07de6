// A model of OpenAI answers a question with the tools of an MCP server. Needs OPENAI_API_KEY.
import OpenAI from "openai";
import type { FunctionTool, ResponseInput } from "openai/resources/responses/responses";
import { connect } from "tenon/client";

await using client = await connect({ command: "npx", args: ["tenon", "run", "server.ts"] });

const tools: FunctionTool[] = [];
for await (const { name, description = "", inputSchema } of client.tools()) {
  tools.push({ type: "function", name, description, parameters: inputSchema, strict: false });
}

const openai = new OpenAI();
const question = process.argv[2] ?? "What is 1 + 2?";
let response = await openai.responses.create({ model: "gpt-5-mini", input: question, tools });
for (let turn = 0; turn < 10; turn++) {
  const results: ResponseInput = [];
  for (const item of response.output) {
    if (item.type !== "function_call") continue;
    const { text } = await client.callTool(item.name, JSON.parse(item.arguments)).catch((error: Error) => ({ text: error.message }));
    results.push({ type: "function_call_output", call_id: item.call_id, output: text });
  }
  if (results.length === 0) break;
  response = await openai.responses.create({ model: "gpt-5-mini", previous_response_id: response.id, input: results, tools });
}
console.log(response.output_text);
