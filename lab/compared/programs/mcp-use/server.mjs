import { MCPServer } from "mcp-use";
import { z } from "zod";

const server = new MCPServer({ name: "sums", version: "1.0.0" });
const inputSchema = z.object({ a: z.number(), b: z.number() });
const outputSchema = z.object({ sum: z.number() });
server.tool({ name: "add", description: "Add two numbers", inputSchema, outputSchema }, async ({ a, b }) => {
  const structuredContent = { sum: a + b };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
});
await server.listen(Number(process.env.PORT));
