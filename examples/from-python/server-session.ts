// The examples of the Python document for `ServerSession`: what a handler does depends on what its client can do and who it is.
// From the folder of the project: node --import jiti/register examples/from-python/server-session.ts
import { connect, McpServer } from "tenon";
import type { InitializeRequestParams, JsonObject } from "tenon";

const server = new McpServer({ name: "sessions", version: "1.0.0" });

server.tool("operate", { input: { type: "object" } }, (_input, ctx) =>
  ctx.session.checkClientCapability({ experimental: { advanced_tools: {} } })
    ? "the advanced operation"
    : "the basic operation",
);

server.prompt("greet", {}, () => "Say hello.");
const promptsFor = ({ clientInfo }: InitializeRequestParams) => [
  { name: `greet_${clientInfo.name}` },
];
server.use("prompts/list", (next) => async (ctx) => {
  const page = await next(ctx);
  return ctx.session.clientParams
    ? { ...page, prompts: promptsFor(ctx.session.clientParams) }
    : page;
});

const clients: Record<string, JsonObject>[] = [{ advanced_tools: {} }, {}];
for (const experimental of clients) {
  await using client = await connect(server, {
    experimental,
    clientInfo: { name: "host", version: "1.0.0" },
  });
  const { text } = await client.callTool("operate");
  const { prompts } = await client.listPrompts();
  console.log(text, prompts.map(({ name }) => name).join());
}
