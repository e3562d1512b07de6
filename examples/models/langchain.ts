// A model of LangChain answers a question with the tools of an MCP server.
// Needs OPENAI_API_KEY; other models work in the same way.
import {
  HumanMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { connect } from "tenon/client";
import { toLangChain } from "tenon/models";

await using client = await connect({
  command: "npx",
  args: ["tenon", "run", "server.ts"],
});
const { tools } = await toLangChain(client, {
  DynamicStructuredTool,
  ToolMessage,
});

const model = new ChatOpenAI({ model: "gpt-5-mini" }).bindTools(tools);
const messages: BaseMessage[] = [
  new HumanMessage(process.argv[2] ?? "What is 1 + 2?"),
];
for (let turn = 0; turn < 10; turn++) {
  const reply = await model.invoke(messages);
  messages.push(reply);
  if (!reply.tool_calls?.length) {
    console.log(reply.text);
    break;
  }
  // LangChain's agents do this by themselves: `createAgent({ model, tools })`
  // of the package `langchain`.
  for (const { id = "", name, args } of reply.tool_calls) {
    const tool = tools.find((each) => each.name === name);
    const call = { type: "tool_call" as const, id, name, args };
    const refused = (error: unknown) =>
      new ToolMessage({
        tool_call_id: id,
        content: String(error),
        status: "error",
      });
    messages.push(
      tool === undefined
        ? refused(`There is no tool ${name}`)
        : await tool.invoke(call).catch(refused),
    );
  }
}
