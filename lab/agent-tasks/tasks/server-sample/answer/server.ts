import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "summaries", version: "1.0.0" });
server.tool("summarise", { input: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: `Summarise: ${text}` } }];
  const { content } = await ctx.sample("summary", { messages, maxTokens: 100 });
  return [content]
    .flat()
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("");
});

await serveStdio(server);
