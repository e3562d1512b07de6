/** `tenon/openapi`: an OpenAPI document as the tools of a server. */
export { fromOpenApi, type OpenApi } from "./from-openapi.ts";
export { OpenApiDocumentError } from "./document/errors.ts";
export type { ApiCredential, CredentialSource, OpenApiFilter, OpenApiOptions, OpenApiReportEntry } from "./options.ts";
export type { ApiFetch, ApiRequest, ApiRequestInit, ApiResponse } from "./call/api-fetch.ts";
export type { OpenApiOperation } from "./document/operation.ts";
export type { OpenApiDocumentLimits } from "./document/parse-document.ts";
