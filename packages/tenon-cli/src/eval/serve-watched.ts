/**
 * Serves the tools of one run over HTTP on this machine, for a command that is the agent.
 *
 * Security: calls are made with what the user's server allows the user, and other users of the machine reach each port. So the path is a
 * secret of the command.
 */
import { randomBytes } from "node:crypto";
import type { JsonObject, RequestContext } from "tenon";
import { isJsonObject } from "tenon/internal";
import { serveHttp, type HttpEndpoint } from "tenon/node";
import { rawServer } from "../raw-server.ts";
import type { WatchedTools } from "./watched-tools.ts";

export function serveWatched(tools: WatchedTools): Promise<HttpEndpoint> {
  const listed: JsonObject = { tools: [...tools.tools].map(([name, tool]) => ({ ...tool, name })) };
  const call = async ({ params, signal }: RequestContext): Promise<JsonObject> => {
    const { name, arguments: args } = params;
    const result = await tools.callTool(String(name), isJsonObject(args) ? args : {}, { signal });
    return Object.fromEntries(Object.entries(result));
  };
  const server = rawServer({
    info: { name: "eval", version: "1.0.0" },
    capabilities: { tools: {} },
    methods: { "tools/list": () => listed, "tools/call": call },
  });
  return serveHttp(server, { port: 0, path: `/${randomBytes(16).toString("base64url")}` });
}
