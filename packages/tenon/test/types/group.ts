/** What a group can be made of, as the compiler sees it. */
import { expectTypeOf } from "vitest";
import { ClientSession, connect, McpServer, type Client, type ToolResult } from "tenon";
import { bearerToken } from "tenon/auth";
import { ClientSessionGroup, type GroupChange, type ServerEntries } from "tenon/group";
import { loadConfig } from "tenon/node";

declare const server: McpServer;

const entries: ServerEntries = {
  url: "https://example.com/mcp",
  address: new URL("https://example.com/mcp"),
  server,
  made: () => server,
  later: () => Promise.resolve("https://example.com/mcp"),
  http: {
    url: "https://example.com/mcp",
    headers: { a: "b" },
    auth: bearerToken("t"),
    timeout: 5,
    connectTimeout: 10,
    reconnect: false,
  },
  stdio: { type: "stdio", command: "npx", args: [], env: {}, onElicit: () => ({ action: "decline" }) },
  target: { target: server, revision: "2025-11-25" },
};
void ClientSessionGroup.connect(entries, {
  onElicit: (_params, context) => {
    expectTypeOf(context.server).toBeString();
    expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
    return { action: "decline" };
  },
  onLog: (_message, name) => expectTypeOf(name).toBeString() as never,
  nameHook: (name, info, kind, serverName) => `${serverName}.${info.name}.${kind}.${name}`,
});
void loadConfig("mcp.json").then((servers) => ClientSessionGroup.connect(servers));

// @ts-expect-error a command that is spelled wrong
void ClientSessionGroup.connect({ a: { comand: "npx" } });
// @ts-expect-error credentials are one server's own
void ClientSessionGroup.connect({}, { auth: bearerToken("t") });

declare const group: ClientSessionGroup;
expectTypeOf(group.callTool<{ sum: number }>("a")).resolves.toEqualTypeOf<ToolResult<{ sum: number }>>();
expectTypeOf(group.connectToServer("https://example.com")).resolves.toEqualTypeOf<Client>();
expectTypeOf(
  connect(server).then((client) => group.connectWithSession({ name: "a", version: "1" }, client)),
).resolves.toEqualTypeOf<Client>();
expectTypeOf(group.sessions).toEqualTypeOf<readonly ClientSession[]>();
group.onChange((change: GroupChange) => {
  if (change.kind === "list") expectTypeOf(change.added).toEqualTypeOf<readonly string[]>();
  if (change.kind === "resource") expectTypeOf(change.uri).toBeString();
});
