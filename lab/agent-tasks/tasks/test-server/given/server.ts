import { McpServer } from "tenon/server";
import * as z from "zod";

/** What was paid, in this process. */
export const paid: number[] = [];

export function makeServer(): McpServer {
  // maxSuspended: 0 makes a handler run again for each answer, as if another process got it.
  const server = new McpServer({ name: "bank", version: "1.0.0" }, { requestState: { maxSuspended: 0 } });
  server.tool("pay", { input: z.object({ sum: z.number().positive() }) }, async ({ sum }, ctx) => {
    if (!(await ctx.confirm("pay", `Pay ${sum}?`))) return ctx.fail("Not paid.");
    await ctx.step("pay", () => {
      paid.push(sum);
    });
    await ctx.confirm("receipt", "Do you want a receipt?");
    return `Paid ${sum}.`;
  });
  return server;
}
