// A client of the official SDK, as a host has one.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const overHttp = (url) => new StreamableHTTPClientTransport(new URL(url));
export const overStdio = (command, args, options) => new StdioClientTransport({ command, args, stderr: "inherit", ...options });

/** Connects on the newest revision, listens, and counts what it hears of closed connections and of changed tools. */
export async function connectOfficial(transport) {
  const client = new Client({ name: "official", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const heard = { closed: 0, changed: 0 };
  const waiting = new Set();
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    heard.changed++;
    for (const wake of waiting) wake();
  });
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
  client.onclose = () => heard.closed++;
  await client.connect(transport);
  await client.listen({ toolsListChanged: true });
  return {
    heard,
    close: () => client.close(),
    /** The structured result of a tool. */
    call: async (name, args) => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
      if (isError) throw new Error(`${name} failed: ${JSON.stringify(content)}`);
      return structuredContent;
    },
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Resolves at the next change of the list of tools. */
    changed: () => new Promise((resolve) => waiting.add(resolve)),
  };
}
