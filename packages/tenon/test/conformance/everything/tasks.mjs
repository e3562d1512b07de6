/** Tools whose calls become tasks, for clients that know those; one that never does, and one that asks before it does. */
import { McpError } from "tenon";
import { ToolError } from "tenon/server";
import { sleep } from "./media.mjs";

const form = (name, type) => ({ type: "object", properties: { [name]: { type } }, required: [name] });
const NAME = { message: "What is your name?", schema: form("name", "string") };
const required = { support: "required" };

export function addTaskTools(server) {
  server.tool("greet", { description: "Answers at once", input: form("name", "string") }, ({ name }) => `Hello, ${name}!`);

  server.tool(
    "slow_compute",
    {
      description: "Takes its time",
      input: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
      task: true,
    },
    async ({ seconds = 1, label = "job" }, ctx) => {
      for (let passed = 0; passed < seconds && !ctx.signal.aborted; passed += 0.1) {
        await ctx.progress(passed, seconds);
        await sleep(100);
      }
      return `${label} done after ${seconds} s`;
    },
  );

  server.tool("failing_job", { description: "Fails after a while", task: required }, async () => {
    await sleep(1_000);
    throw new ToolError("This job fails on purpose");
  });

  server.tool("protocol_error_job", { description: "Ends with an error of the protocol", task: required }, async () => {
    await sleep(100);
    throw new McpError(-32603, "This job breaks on purpose");
  });

  server.tool(
    "confirm_delete",
    { description: "Asks before it deletes", input: form("filename", "string"), task: required },
    async ({ filename }, ctx) => {
      const answer = await ctx.elicit("confirm", { message: `Delete ${filename}?`, schema: form("confirm", "boolean") });
      return answer.content?.confirm ? `Deleted ${filename}` : `Kept ${filename}`;
    },
  );

  server.tool("multi_input", { description: "Asks two things at once", task: required }, async (_input, ctx) => {
    const [name, confirm] = await Promise.all([
      ctx.elicit("name", NAME),
      ctx.elicit("confirm", { message: "Go on?", schema: form("confirm", "boolean") }),
    ]);
    return `${name.content?.name}: ${confirm.content?.confirm}`;
  });

  server.tool(
    "test_tool_with_task",
    { description: "Asks for a name, then becomes a task", task: { ...required, start: "handler" } },
    async (_input, ctx) => {
      const answer = await ctx.elicit("user_name", NAME);
      await ctx.task.start();
      await sleep(200);
      return `Hello, ${answer.content?.name ?? "whoever you are"}!`;
    },
  );
}
