/** `tenon/node`: what needs Node itself. */
export { serveStdio, type ServeStdioOptions } from "./serve-stdio.ts";
export { serveHttp } from "./http.ts";
export type { HttpEndpoint, ServeHttpOptions } from "./http-endpoint.ts";
export { nodeFetch } from "./node-fetch.ts";
export { toNodeHandler, type NodeHandler, type NodeHttpOptions } from "./http-handler.ts";
export { StdioTransport, type StdioTransportOptions } from "./stdio-transport.ts";
export { spawnServer } from "./child-process.ts";
export { getDefaultEnvironment } from "./child-environment.ts";
export { ServerConfigError, type ConfigProblem } from "./config-problem.ts";
export { loadConfig } from "./load-config.ts";
export type { LoadConfigOptions, ServerConfigs } from "./read-config.ts";
export type { HttpServerConfig, ServerConfig, StdioServerConfig } from "./server-config.ts";
export { fileStore } from "./file-store.ts";
export type { FileStoreOptions } from "./file-auth-store.ts";
export { openBrowser } from "./open-browser.ts";
export { resolveInside } from "./safe-path.ts";
export type {
  ServerProcess,
  ShutdownTimeouts,
  SpawnServerOptions,
  StdioServerParameters,
  TextSink,
} from "../transport/stdio-server-parameters.ts";
