/** A server with a tool for each kind of result, and schemas that APIs refuse as they are. */
import { type McpServer, ToolError } from "tenon";
import { testServer } from "../support/test-server.ts";

/** A picture of one pixel. */
export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export function toolServer(): McpServer {
  const server = testServer();
  server.tool(
    "add",
    {
      description: "Add two numbers",
      input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    },
    (input) => {
      const { a, b } = input as { a: number; b: number }; // its schema says so
      return String(a + b);
    },
  );
  server.tool("fails", {}, () => {
    throw new ToolError("no such seat");
  });
  server.tool("picture", {}, () => ({
    content: [
      { type: "text", text: "a picture" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "image", data: "SUkqAAgAAAA=", mimeType: "image/tiff" },
      { type: "audio", data: PIXEL, mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a/b.pdf", mimeType: "application/pdf", blob: PIXEL } },
      { type: "resource", resource: { uri: "file:///a/c.txt", text: "inside" } },
      { type: "resource_link", uri: "file:///note", name: "note", description: "A note" },
    ],
  }));
  server.tool("empty", {}, () => ({ content: [] }));
  server.tool("data", { output: { type: "object", properties: { $ref: { type: "string" } } } }, () => ({
    content: [],
    structuredContent: { $ref: "x" },
  }));
  server.tool("a.name", {}, () => "named");
  server.tool(
    "union",
    {
      input: {
        type: "object",
        oneOf: [{ properties: { id: { type: "array" } }, required: ["id"] }, { properties: { name: { type: "string" } } }],
      } as const,
    },
    (input) => JSON.stringify(input),
  );
  server.tool(
    "waits",
    {},
    (_input, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  );
  server.tool("hidden", { _meta: { ui: { visibility: ["app"] } } }, () => "for the view");
  server.resource("file:///note", { name: "note" }, () => "the text of the note");
  return server;
}
