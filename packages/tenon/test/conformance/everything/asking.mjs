/** Tools that need the client while they run: its log, its model, its user, its patience. */
import { sleep } from "./media.mjs";

const noInput = { type: "object", properties: {} };
const titled = (value, title) => ({ const: value, title });
const THREE = [titled("value1", "First Option"), titled("value2", "Second Option"), titled("value3", "Third Option")];

const DEFAULTS = {
  type: "object",
  properties: {
    name: { type: "string", description: "User name", default: "John Doe" },
    age: { type: "integer", description: "User age", default: 30 },
    score: { type: "number", description: "User score", default: 95.5 },
    status: { type: "string", description: "User status", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", description: "Verification status", default: true },
  },
  required: [],
};

const ENUMS = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: THREE },
    legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: { type: "array", items: { anyOf: THREE } },
  },
  required: [],
};

const CREDENTIALS = {
  type: "object",
  properties: {
    username: { type: "string", description: "Your name" },
    email: { type: "string", description: "Your mail address" },
  },
  required: ["username", "email"],
};

const said = (what, { action, content = {} }) => `${what}: action=${action}, content=${JSON.stringify(content)}`;

export function addAskingTools(server) {
  server.tool("test_tool_with_logging", { description: "Logs while it runs" }, async (_input, ctx) => {
    for (const message of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await ctx.log.info(message);
      await sleep(50);
    }
    return "Three messages logged";
  });

  server.tool(
    "test_sampling",
    {
      description: "Has the client's model answer",
      input: { ...noInput, properties: { prompt: { type: "string" } }, required: ["prompt"] },
    },
    async ({ prompt }, ctx) => {
      const messages = [{ role: "user", content: { type: "text", text: prompt } }];
      const { content } = await ctx.sample("model", { messages, maxTokens: 100 });
      return `LLM response: ${content.type === "text" ? content.text : content.type}`;
    },
  );

  server.tool(
    "test_elicitation",
    { description: "Asks the user", input: { ...noInput, properties: { message: { type: "string" } }, required: ["message"] } },
    async ({ message }, ctx) => said("User response", await ctx.elicit("user", { message, schema: CREDENTIALS })),
  );

  server.tool("test_elicitation_sep1034_defaults", { description: "Asks with a default for every field" }, async (_input, ctx) =>
    said("Elicitation completed", await ctx.elicit("review", { message: "Please review the defaults", schema: DEFAULTS })),
  );

  server.tool("test_elicitation_sep1330_enums", { description: "Asks with every kind of choice" }, async (_input, ctx) =>
    said("Elicitation completed", await ctx.elicit("choice", { message: "Please choose", schema: ENUMS })),
  );

  server.tool(
    "test_reconnection",
    { description: "Ends its stream before it answers: the client comes back for the result" },
    async (_input, ctx) => {
      ctx.closeStream();
      await sleep(100);
      return "Delivered to whoever came back";
    },
  );
}
