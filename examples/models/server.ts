// The server whose tools the models of this folder call.
import { McpServer } from "tenon/server";
import * as z from "zod";

export const server = new McpServer({ name: "sums", version: "1.0.0" });
const input = z.object({ a: z.number(), b: z.number() });
server.tool("add", { description: "Add two numbers", input }, ({ a, b }) =>
  String(a + b),
);
