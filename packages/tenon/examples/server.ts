import { McpServer } from "tenon/server";
import * as z from "zod";

export const server = new McpServer({ name: "sums", version: "1.0.0" });
server.tool(
  "add",
  {
    description: "Add two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
);
