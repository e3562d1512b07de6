/** Tools that answer by themselves: each kind of content, a failure, progress, and two input schemas worth looking at. */
import { audio, file, image, text, ToolError } from "tenon/server";
import { PNG, sleep, WAV } from "./media.mjs";

/** Comes out of `tools/list` word for word. */
const SCHEMA_2020_12 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

export function addTools(server) {
  server.tool("test_simple_text", { description: "One text" }, () => "This is a simple text response for testing.");

  server.tool("test_image_content", { description: "One image" }, () => image(PNG, "image/png"));

  server.tool("test_audio_content", { description: "One sound" }, () => audio(WAV, "audio/wav"));

  server.tool("test_embedded_resource", { description: "One embedded resource" }, () =>
    file("test://embedded-resource", "This is an embedded resource content.", "text/plain"),
  );

  server.tool("test_multiple_content_types", { description: "Text, image and resource" }, () => [
    text("Multiple content types test:"),
    image(PNG, "image/png"),
    file("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
  ]);

  server.tool("test_error_handling", { description: "Always fails" }, () => {
    throw new ToolError("This tool intentionally returns an error for testing");
  });

  server.tool("test_tool_with_progress", { description: "Reports progress" }, async (_input, ctx) => {
    for (const done of [0, 50, 100]) {
      await ctx.progress(done, 100, `Completed step ${done} of 100`);
      await sleep(50);
    }
    return "All steps completed";
  });

  server.tool(
    "test_x_mcp_header",
    {
      description: "A parameter that HTTP clients repeat as a header",
      input: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } },
      },
    },
    ({ region = "<none>" }) => `region=${region}`,
  );

  server.tool(
    "json_schema_2020_12_tool",
    { description: "An input schema of many keywords", input: SCHEMA_2020_12 },
    (input) => `Received: ${JSON.stringify(input)}`,
  );
}
