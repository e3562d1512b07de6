import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "airline", version: "1.0.0" });
server.tool("book", {}, async (_, ctx) => {
  const { content: seat } = await ctx.elicit("seat", { message: "Which seat?", schema: z.object({ seat: z.string() }) });
  const { content: paid } = await ctx.elicit("paid", { message: "Pay?", schema: z.object({ sure: z.boolean() }) });
  const mail = await ctx.elicit("mail", { message: "Your address?", schema: z.object({ mail: z.string() }) });
  return `${seat?.seat} ${paid?.sure ? "paid" : "not paid"} on ${ctx.session.protocolVersion}, ${mail.action === "decline" ? "no mail" : "a mail"}`;
});

await serveStdio(server);
