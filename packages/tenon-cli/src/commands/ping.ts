/** `tenon ping`: measures how fast a server connects and responds. */
import { type Client, ErrorCode, McpError } from "tenon/client";
import { cleanLine, isStatefulVersion } from "tenon/internal";
import { withServer } from "../connection/connection.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";

export const ping: Command = {
  summary: "measure how fast a server connects and responds",
  usage: ["ping <server>", "ping -- <command> [argument ...]"],
  options: CLIENT_OPTIONS,
  examples: ["tenon ping server.ts", "tenon ping https://example.com/mcp", "tenon ping --config .mcp.json weather"],
  run(invocation) {
    const begin = performance.now();
    return withServer(invocation, [], async (client) => {
      const connectMs = since(begin);
      const sentAt = performance.now();
      await respond(client, invocation.signal);
      const { serverInfo, protocolVersion } = client;
      const json = { server: serverInfo, protocolVersion, connectMs, ms: since(sentAt) };
      const name = serverInfo === undefined ? "A server without a name" : `${cleanLine(serverInfo.name)} ${cleanLine(serverInfo.version)}`;
      return { json, text: () => `${name}, revision ${protocolVersion}: connected in ${connectMs} ms, responds in ${json.ms} ms` };
    });
  },
};

/**
 * Stateless revisions have no `ping`: `server/discover` is the request that every server answers. A server that was written without a
 * `ping` answers by saying so.
 */
async function respond(client: Client, signal: AbortSignal): Promise<void> {
  if (!isStatefulVersion(client.protocolVersion)) return void (await client.session.discover({ signal }));
  await client.ping({ signal }).catch((error: unknown) => {
    if (!McpError.isMcpError(error) || error.code !== ErrorCode.MethodNotFound) throw error;
  });
}

/** Milliseconds, to a tenth. */
function since(begin: number): number {
  return Math.round((performance.now() - begin) * 10) / 10;
}
