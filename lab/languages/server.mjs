// The server of Tenon that clients of other languages meet: what all the partners in bench/languages/programs have.
//   node server.mjs stdio
//   node server.mjs http       prints its URL
import { McpServer, ToolError } from "tenon/server";
import { serveHttp, serveStdio } from "tenon/node";
import { z } from "zod";

const NOTE = "mem://note";
const state = { waited: "nothing" };

const server = new McpServer({ name: "tenon", version: "1.0.0" });
const sums = { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) };
server.tool("add", { description: "Add two numbers", ...sums }, ({ a, b }) => ({
  content: [{ type: "text", text: String(a + b) }],
  structuredContent: { sum: a + b },
}));
server.tool("echo", { input: z.object({ text: z.string() }) }, ({ text }) => text);
server.tool("fail", {}, () => {
  throw new ToolError("it failed");
});
server.tool("steps", { input: z.object({ count: z.int() }) }, async ({ count }, ctx) => {
  for (let step = 1; step <= count; step++) await ctx.progress(step, count);
  return "done";
});
server.tool("wait", {}, (_input, ctx) => {
  state.waited = "waiting";
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      state.waited = "ended";
      resolve("not cancelled");
    }, 20_000);
    ctx.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      state.waited = "cancelled";
      resolve("cancelled");
    });
  });
});
server.tool("waited", {}, () => state.waited);
server.tool("ask", {}, async (_input, ctx) => {
  const answer = await ctx.elicit("name", { message: "Who?", schema: z.object({ name: z.string() }) });
  return `${answer.action}:${answer.content?.name ?? ""}`;
});
server.tool("sample", {}, async (_input, ctx) => {
  const messages = [{ role: "user", content: { type: "text", text: "Say hi" } }];
  const { content } = await ctx.sample("text", { messages, maxTokens: 10 });
  return `sampled: ${(Array.isArray(content) ? content[0] : content).text}`;
});
server.tool("touch", {}, () => {
  server.resourceUpdated(NOTE);
  return "touched";
});
server.resource(NOTE, { name: "note", mimeType: "text/plain" }, () => "a note");
server.prompt("greet", { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`);

if (process.argv[2] === "stdio") await serveStdio(server);
else {
  const { url } = await serveHttp(server, { port: 0 });
  console.log(url);
}
