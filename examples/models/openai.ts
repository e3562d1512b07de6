// A model of OpenAI answers a question with the tools of an MCP server. Needs
// OPENAI_API_KEY.
import OpenAI from "openai";
import { connect } from "tenon/client";
import { toOpenAI } from "tenon/models";

await using client = await connect({
  command: "npx",
  args: ["tenon", "run", "server.ts"],
});
const { tools, run } = await toOpenAI(client);

const openai = new OpenAI();
const question = process.argv[2] ?? "What is 1 + 2?";
let response = await openai.responses.create({
  model: "gpt-5-mini",
  input: question,
  tools,
});
for (let turn = 0; turn < 10; turn++) {
  const input = await run(response);
  if (input.length === 0) break;
  response = await openai.responses.create({
    model: "gpt-5-mini",
    previous_response_id: response.id,
    input,
    tools,
  });
}
console.log(response.output_text);
