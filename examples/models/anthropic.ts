// A model of Anthropic answers a question with the tools of an MCP server.
// Needs ANTHROPIC_API_KEY.
import Anthropic from "@anthropic-ai/sdk";
import { connect } from "tenon/client";
import { toAnthropic } from "tenon/models";

await using client = await connect({
  command: "npx",
  args: ["tenon", "run", "server.ts"],
});
const { tools, run } = await toAnthropic(client);

const anthropic = new Anthropic();
const messages: Anthropic.MessageParam[] = [
  { role: "user", content: process.argv[2] ?? "What is 1 + 2?" },
];
for (let turn = 0; turn < 10; turn++) {
  const message = await anthropic.messages.create({
    model: "claude-sonnet-5-5",
    max_tokens: 1000,
    messages,
    tools,
  });
  for (const block of message.content)
    if (block.type === "text") console.log(block.text);
  if (message.stop_reason !== "tool_use") break;
  messages.push(
    { role: "assistant", content: message.content },
    await run(message),
  );
}
