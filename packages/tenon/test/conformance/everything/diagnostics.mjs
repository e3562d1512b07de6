/** Tools that show how a stateless server keeps its promises: capabilities, logging on request, change notifications. */
import { MissingClientCapabilityError } from "tenon";
import { sleep } from "./media.mjs";

const CONFIRM = { type: "object", properties: { confirmed: { type: "boolean" } }, required: ["confirmed"] };

export function addDiagnostics(server) {
  server.tool("test_missing_capability", { description: "Needs a client with a model" }, (_input, ctx) => {
    const needs = { sampling: {} };
    if (!ctx.session.checkClientCapability(needs)) throw new MissingClientCapabilityError(needs);
    return "The client can sample";
  });

  server.tool("test_streaming_elicitation", { description: "Says how far it is, then asks" }, async (_input, ctx) => {
    await ctx.progress(1, 2);
    const { action } = await ctx.elicit("confirm", { message: "Please confirm", schema: CONFIRM });
    return action;
  });

  server.tool("test_logging_tool", { description: "Logs one message" }, async (_input, ctx) => {
    await ctx.log.info("A message for whoever asked for it");
    return "Logged";
  });

  server.tool("test_trigger_tool_change", { description: "Offers another tool for a moment" }, async () => {
    const extra = server.tool("test_passing_tool", { description: "Here for a moment" }, () => "Still here");
    await sleep(20);
    extra.remove();
    return "The list of tools has changed, and changed back";
  });

  server.tool("test_trigger_prompt_change", { description: "Offers another prompt for a moment" }, async () => {
    const extra = server.prompt("test_passing_prompt", { description: "Here for a moment" }, () => "Still here");
    await sleep(20);
    extra.remove();
    return "The list of prompts has changed, and changed back";
  });
}
