// A model of Anthropic answers a question with the tools of an MCP server. Needs ANTHROPIC_API_KEY.
import Anthropic from "@anthropic-ai/sdk";
import { connect } from "tenon/client";

await using client = await connect({ command: "npx", args: ["tenon", "run", "server.ts"] });

const tools: Anthropic.Tool[] = [];
for await (const { name, description = "", inputSchema } of client.tools()) tools.push({ name, description, input_schema: inputSchema });

const anthropic = new Anthropic();
const messages: Anthropic.MessageParam[] = [{ role: "user", content: process.argv[2] ?? "What is 1 + 2?" }];
for (let turn = 0; turn < 10; turn++) {
  const { content } = await anthropic.messages.create({ model: "claude-sonnet-4-5", max_tokens: 1000, messages, tools });
  const calls = content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) {
    for (const block of content) if (block.type === "text") console.log(block.text);
    break;
  }
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const { id, name, input } of calls) {
    const called = await client
      .callTool(name, input as Record<string, unknown>)
      .catch((error: Error) => ({ text: error.message, isError: true }));
    results.push({ type: "tool_result", tool_use_id: id, content: called.text, is_error: called.isError });
  }
  messages.push({ role: "assistant", content }, { role: "user", content: results });
}
