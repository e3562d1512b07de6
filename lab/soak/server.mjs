// The server of the soak, in a process of its own: a tool for each kind of load. Its parent asks for samples of what it holds.
import { readdirSync } from "node:fs";
import { McpServer } from "tenon/server";
import { serveHttp } from "tenon/node";
import { sample } from "./sample.mjs";

const server = new McpServer({ name: "soak", version: "1" }, { onError: () => undefined });
server.tool("echo", {}, (input) => JSON.stringify(input));
server.tool("large", {}, () => "x".repeat(200_000));
server.tool("steps", {}, async (_input, ctx) => {
  for (let step = 1; step <= 20; step++) {
    await ctx.progress(step, 20);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return "done";
});
server.tool("hang", {}, (_input, ctx) => {
  return new Promise((_resolve, reject) => {
    ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason), { once: true });
  });
});
server.tool("ask", {}, async (_input, ctx) => {
  const answer = await ctx.elicit("sure", { message: "Sure?", schema: { type: "object", properties: {} } });
  return answer.action;
});
server.resource("soak://counter", {}, () => "0");

/** The negative control: 256 bytes and more that stay with each request. */
const leaked = [];
if (process.argv.includes("--leak")) {
  server.use((next) => (context) => {
    leaked.push(Array.from({ length: 32 }, () => leaked.length));
    return next(context);
  });
}

const http = await serveHttp(server, { port: 0, onError: () => undefined });
process.on("message", async (order) => {
  if (order === "change") server.resourceUpdated("soak://counter");
  if (order === "sample") process.send({ sample: await sample(() => readdirSync("/proc/self/fd").length) });
  if (order === "close") {
    await http.close();
    process.exit();
  }
});
process.send({ url: http.url });
