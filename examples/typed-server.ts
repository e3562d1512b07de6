// A server whose tools its clients' compiler knows: tools given as an option are part of its type.
import { McpServer, tool } from "tenon/server";
import * as z from "zod";

const add = tool(
  {
    description: "Add two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
);

export const server = new McpServer(
  { name: "sums", version: "1.0.0" },
  { tools: { add } },
);
