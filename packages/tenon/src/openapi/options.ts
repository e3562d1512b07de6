/** Options of `fromOpenApi`, and its report. */
import type { OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { withPresets, type NumberTable } from "../base/number-options.ts";
import { URL_POLICY_OPTIONS, type UrlPolicyOptions } from "../auth/url-policy.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { ToolOptions } from "../server/features/tools.ts";
import type { ApiFetch, ApiRequest } from "./call/api-fetch.ts";
import type { OpenApiOperation } from "./document/operation.ts";
import { DOCUMENT_LIMITS, type OpenApiDocumentLimits } from "./document/parse-document.ts";

/**
 * A credential: a token or key as text, a name with a password for basic authentication, or headers for any other scheme. Security:
 * it is sent to the API only, never to the client or the model.
 */
export type ApiCredential =
  | string
  | {
      /** The token of a bearer scheme, or the key of an `apiKey`. */
      readonly token: string;
    }
  | {
      /** The name of the account. */
      readonly username: string;
      /** Its password. */
      readonly password: string;
    }
  | {
      /** Headers that are added to the request, such as a signature. */
      readonly headers: { readonly [name: string]: string };
    };

/**
 * Returns the credential of the caller for one request; undefined if the caller has none. Security: `context.principal` says who
 * calls; never return the MCP client's own token, which was issued for this server and not for the API.
 *
 * If the API refuses the credential with the status 401, the function is called again, once, with that credential as `refused`. It
 * can renew it, or ask the user to log in by `context.elicitUrl()`. Another credential is sent at once; with the same one, or with
 * undefined, the call fails.
 */
export type CredentialSource = (
  context: RequestContext,
  request: ApiRequest,
  refused: ApiCredential | undefined,
) => MaybePromise<ApiCredential | undefined>;

/** Which operations become tools. All conditions that are given must hold. */
export interface OpenApiFilter {
  /** Operations that have one of these tags. */
  readonly tags?: readonly string[];
  /** Methods in any case. */
  readonly methods?: readonly string[];
  /** Paths, exactly as in the document, or with `*` at the end for all that begin so. */
  readonly paths?: readonly string[];
  /** Values of `operationId`. */
  readonly operations?: readonly string[];
}

/** Options of {@link fromOpenApi}. Security: read `auth`, `baseUrl` and the options of addresses before you set them. */
export interface OpenApiOptions extends UrlPolicyOptions {
  /**
   * The URL below which all operations are called, instead of the servers of the document. Its host may be a private one, because
   * the operator names it. Default: the first server of the document.
   */
  readonly baseUrl?: string | URL;
  /** Values of the variables in the URLs of servers. Default: the values in the document. */
  readonly serverVariables?: { readonly [name: string]: string };
  /**
   * Credentials by the names of the document's security schemes: the operator's own, or a function that returns the caller's. A
   * tool whose security needs a scheme that is not here is left out. Security: they are sent to the origin of `baseUrl`, or of the
   * document's first server, only. Default: none.
   */
  readonly auth?: { readonly [scheme: string]: ApiCredential | CredentialSource };
  /** Further origins that operations may be sent to, with their credentials: `["https://uploads.example.com"]`. Default: none. */
  readonly origins?: readonly string[];
  /** Which operations become tools. Default: all. */
  readonly include?: OpenApiFilter | ((operation: OpenApiOperation) => boolean);
  /** Whether deprecated operations become tools. Default false. */
  readonly deprecated?: boolean;
  /**
   * Whether GET operations without required arguments beside their path become resources and resource templates instead of tools. Set
   * it only if reading them changes nothing. Default false.
   */
  readonly resources?: boolean;
  /** Names a tool; undefined keeps the default: the `operationId`, or the method and the path. */
  readonly name?: (operation: OpenApiOperation) => string | undefined;
  /** Changes the description or the annotations of a tool. Default: unchanged. */
  readonly map?: (tool: ToolOptions, operation: OpenApiOperation) => ToolOptions;
  /** Whether the properties of a body are arguments of their own, if they have names that no parameter has. Default false. */
  readonly flatten?: boolean;
  /**
   * The schema of results. `"loose"`: names and types, where every value may be null; GET, HEAD and QUERY only. `"exact"`: the
   * document's schema; a response that does not match it is a failure. `"none"`: no schema. Default `"loose"`.
   */
  readonly output?: "loose" | "exact" | "none";
  /** Characters of one schema; deeper parts of a larger one are left out. Default 32 768. */
  readonly maxSchemaBytes?: number;
  /** Bytes of a response; the rest of a larger one is left out, and the result says so. Default 4 MiB. */
  readonly maxResponseBytes?: number;
  /** Milliseconds for one request to the API, its response included, and for one call of `resolve`. Default 30 000. */
  readonly timeout?: number;
  /**
   * Where the document came from: references to other documents are relative to it. Default: the URL that it was fetched from, or its
   * `$self`.
   */
  readonly documentUrl?: string | URL;
  /**
   * Returns another document that this one refers to, as an object or as its text in JSON or YAML; undefined if there is none.
   * Operations that need a document that cannot be read are left out, and the report says why. Security: the documents choose the
   * URLs, so return only what their authors may see; nothing is read without this option. Default: none.
   */
  readonly resolve?: (url: URL, signal: AbortSignal) => MaybePromise<object | string | undefined>;
  /** Limits on the document, and on each that it refers to. */
  readonly limits?: Partial<OpenApiDocumentLimits>;
  /**
   * Returns the bytes of a resource that the model names in place of the bytes of a file. Security: allow only URIs that the caller
   * may read. Default: files are given as base64 only.
   */
  readonly readFile?: (uri: string, context: RequestContext) => MaybePromise<Uint8Array>;
  /**
   * Sends the requests, for example through a proxy or to a program in this process. Security: it must not follow redirects, and
   * addresses of host names are not checked then. Default: the platform's, which on Node connects to checked addresses only.
   */
  readonly fetch?: ApiFetch;
  /**
   * Receives failures that the model does not see in full, such as why the API cannot be reached. Default: they are dropped, except that not one
   * operation becomes a tool, which is written to stderr.
   */
  readonly onError?: (error: Error) => void;
}

/** What became of one operation. */
export interface OpenApiReportEntry {
  /** Its method and path: `GET /pets/{id}`. */
  readonly operation: string;
  /** The name of its tool; absent if it is not a tool. */
  readonly tool?: string;
  /** The URI or the template of its resource; absent if it is not a resource. */
  readonly resource?: string;
  /** `"reduced"`: a tool whose schema was too large, so that deep parts of it are left out. */
  readonly status: "tool" | "resource" | "reduced" | "skipped";
  /** Why it was left out or reduced, or what else differs from the document. */
  readonly why?: string;
}

type Numbers = Required<Pick<OpenApiOptions, "maxSchemaBytes" | "maxResponseBytes" | "timeout">>;
const NUMBERS: NumberTable<Numbers> = { maxSchemaBytes: [32_768, 1], maxResponseBytes: [4 * 1024 * 1024, 1], timeout: [30_000, 1] };

export const OPENAPI_OPTIONS: OptionKeys<OpenApiOptions> = {
  ...URL_POLICY_OPTIONS,
  ...NUMBERS,
  baseUrl: 1,
  serverVariables: 1,
  auth: 1,
  origins: 1,
  include: 1,
  deprecated: 1,
  resources: 1,
  name: 1,
  map: 1,
  flatten: 1,
  output: 1,
  documentUrl: 1,
  resolve: 1,
  limits: DOCUMENT_LIMITS,
  readFile: 1,
  fetch: 1,
  onError: 1,
};

export type OpenApiSettings = OpenApiOptions & Numbers & { readonly limits: OpenApiDocumentLimits };

/** @throws RangeError if a number is less than 1 */
export function withDefaults(options: OpenApiOptions): OpenApiSettings {
  return { ...options, ...withPresets(NUMBERS, options), limits: withPresets(DOCUMENT_LIMITS, options.limits, "limits") };
}

export function isIncluded(operation: OpenApiOperation, include: OpenApiOptions["include"]): boolean {
  if (include === undefined) return true;
  if (typeof include === "function") return include(operation);
  const { tags, methods, paths, operations } = include;
  const isPath = (path: string): boolean => (path.endsWith("*") ? operation.path.startsWith(path.slice(0, -1)) : operation.path === path);
  return (
    (tags === undefined || tags.some((tag) => operation.tags.includes(tag))) &&
    (methods === undefined || methods.some((method) => method.toUpperCase() === operation.method)) &&
    (paths === undefined || paths.some(isPath)) &&
    (operations === undefined || (operation.operationId !== undefined && operations.includes(operation.operationId)))
  );
}
