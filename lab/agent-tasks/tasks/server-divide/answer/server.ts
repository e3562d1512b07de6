import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
server.tool(
  "divide",
  {
    description: "Divides a by b",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ quotient: z.number() }),
    annotations: { readOnlyHint: true },
  },
  ({ a, b }, ctx) => (b === 0 ? ctx.fail("Give a divisor that is not 0.") : { quotient: a / b }),
);

await serveStdio(server);
