// A server whose calls wait: for a file, or for an answer of their client. Its environment says which version it is.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { tasks } from "tenon/ext/tasks";
import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";

const until = { type: "object", properties: { file: { type: "string" } }, required: ["file"] };
const name = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

/** Resolves when there is a file of that name. */
function exists(file) {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (!existsSync(file)) return;
      clearInterval(timer);
      resolve();
    }, 10);
    timer.unref?.();
  });
}

export function createWaitingServer(version) {
  const server = new McpServer({ name: "waiting", version }, { extensions: [tasks()] });
  server.tool("version", {}, () => version);
  server.tool("pid", {}, () => String(process.pid));
  server.tool("wait", { input: until }, async ({ file }, ctx) => {
    await ctx.progress(1);
    await exists(file);
    return version;
  });
  server.tool("ask", {}, async (_input, ctx) => {
    const { content } = await ctx.elicit("name", { message: "Your name?", schema: name });
    return `${content?.name} at ${version}`;
  });
  server.tool("book", { task: true }, async (_input, ctx) => {
    const { content } = await ctx.elicit("name", { message: "Your name?", schema: name });
    return `${content?.name} at ${version}`;
  });
  server.tool("build", { input: until, task: true }, async ({ file }) => {
    await exists(file);
    return version;
  });
  return server;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await serveStdio(createWaitingServer(process.env.VERSION));
