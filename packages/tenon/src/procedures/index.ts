/** `tenon/procedures`: the procedures and routes of a router as the tools of a server, in process. */
export { fromProcedures, type ProcedureTools, type ToolsFrom } from "./from-procedures.ts";
export type { ProcedureOptions, ProcedureReportEntry } from "./options.ts";
export { graphql, type GraphQlOptions, type GraphQlRequest, type GraphQlResult } from "./graphql.ts";
export { hono, type FetchApp, type HonoOptions, type RouteOptions } from "./hono.ts";
export { orpc, type OrpcOptions, type OrpcSignatures } from "./orpc.ts";
export type {
  ArgumentsOf,
  DataOf,
  FileArgument,
  Json,
  JsonInput,
  NoArguments,
  Procedure,
  ProcedureFailure,
  ProcedureInfo,
  ProcedureSource,
} from "./procedure.ts";
export type { ToJsonSchema } from "./schemas.ts";
export { trpc, type TrpcOptions, type TrpcRouter, type TrpcSignatures } from "./trpc.ts";
export { tsRest, type TsRestOptions, type TsRestSignatures } from "./ts-rest.ts";
