/** `tenon/node`: the parts that need Node. */
export { serveStdio, type ServeStdioOptions } from "./stdio/serve-stdio.ts";
export { serveHttp } from "./http/serve-http.ts";
export { openJsonLines, type JsonLines, type JsonLinesOptions } from "./json-lines.ts";
export type {
  HttpEndpoint,
  HttpTimeouts,
  NodeEndpointAuth,
  NodeHttpLimits,
  NodeHttpOptions,
  ServeHttpOptions,
} from "./http/http-endpoint.ts";
export { nodeFetch } from "./fetch/node-fetch.ts";
export { ProxyError, proxyFetch } from "./fetch/proxy-fetch.ts";
export { socketFetch } from "./fetch/socket-fetch.ts";
export { toNodeHandler, type NodeHandler } from "./http/http-handler.ts";
export { StdioTransport, type StdioLimits, type StdioTransportOptions } from "./stdio/stdio-transport.ts";
export { socketTransport, type ByteStreams } from "./stdio/socket-transport.ts";
export { spawnServer } from "./processes/child-process.ts";
export { getDefaultEnvironment } from "./processes/child-environment.ts";
export { ServerConfigError, type ConfigProblem } from "./config/config-problem.ts";
export type { DemandedFile, EntryDemand } from "./config/demands.ts";
export { loadConfig } from "./config/load-config.ts";
export type { LoadConfigOptions } from "./config/load-options.ts";
export type { ServerConfigs } from "./config/read-config.ts";
export type { HttpServerConfig, ServerConfig, StdioServerConfig } from "./config/server-config.ts";
export { fileStore } from "./login/file-store.ts";
export type { FileStoreOptions } from "./login/file-auth-store.ts";
export { openBrowser } from "./login/open-browser.ts";
export { elicitInBrowser, type ElicitInBrowserOptions } from "./questions/elicit-in-browser.ts";
export { elicitInTerminal, type ElicitInTerminalOptions } from "./questions/elicit-in-terminal.ts";
export { resolveInside } from "./safe-path.ts";
export type {
  ProgramLimits,
  ProgramTimeouts,
  ServerProcess,
  ShutdownTimeouts,
  SpawnServerOptions,
  StdioServerParameters,
  TextSink,
} from "../transport/stdio-server-parameters.ts";
