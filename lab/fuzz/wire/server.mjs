// The server that changed requests are sent to, in a process of its own: `http` says its port to its parent, `stdio` speaks on
// its own streams. What the operator is told and should not be (an error of the language, not of the protocol) goes to standard
// error, in a line that begins with FAULT.
import { McpError } from "tenon";
import { McpServer } from "tenon/server";
import { serveHttp, serveStdio } from "tenon/node";

const FAULTS = new Set(["TypeError", "ReferenceError", "SyntaxError", "InternalError", "AssertionError"]);
const report = (error) => {
  for (let one = error; one instanceof Error; one = one.cause)
    if (FAULTS.has(one.name)) console.error(`FAULT ${one.stack.replaceAll("\n", " | ")}`);
};
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (error) => console.error(`FAULT ${event} ${error?.stack}`));

const server = new McpServer({ name: "wire", version: "1" }, { onError: report });
const input = {
  type: "object",
  properties: {
    text: { type: "string", maxLength: 1_000 },
    count: { type: "integer", minimum: 0, "x-mcp-header": "Count" },
    deep: {},
  },
};
server.tool("echo", { input }, (given) => JSON.stringify(given));
server.tool("fail", {}, () => {
  throw new Error("on purpose");
});
server.tool("steps", {}, async (_input, ctx) => {
  for (let step = 1; step <= 5; step++) await ctx.progress(step, 5);
  return "done";
});
server.resource("wire://one", {}, () => "one");
server.resourceTemplate("wire://{name}", { complete: { name: (typed) => [typed, "other"] } }, ({ name }) => name);
const greeting = { type: "object", properties: { name: { type: "string" } } };
server.prompt("greet", { input: greeting, complete: { name: (typed) => [typed] } }, ({ name }) => `Hello ${name}`);

// The negative control: one method never answers, and an error of another tells where it was thrown.
if (process.argv.includes("broken")) {
  server.use((next) => (context) => {
    if (context.method === "prompts/list") return new Promise(() => undefined);
    if (context.method === "ping") throw new McpError(-32603, new Error("broken").stack);
    return next(context);
  });
}

if (process.argv[2] === "stdio") await serveStdio(server, { onError: report });
else {
  const { url } = await serveHttp(server, { port: 0, onError: report });
  process.send({ url });
  process.on("disconnect", () => process.exit());
}
