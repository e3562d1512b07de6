/**
 * Custom methods of a server: requests that neither the specification nor an extension in use has.
 *
 * It describes, registers and runs them. Features of the specification, such as tools, have files of their own.
 */
import type { OptionKeys } from "../../base/known-options.ts";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { isCoreMethod, prefixOwner } from "../../protocol/methods.ts";
import { SUPPORTED_PROTOCOL_VERSIONS } from "../../protocol/versions.ts";
import { compileCheck, type SchemaCheck } from "../../schema/compile.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { describeIssues, type AnySchema, type InferInput, type InferOutput, type Validation } from "../../schema/standard-schema.ts";
import type { ServerExtensions } from "../../session/extension.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { codecFor } from "../../wire/revisions.ts";
import type { Definition } from "./registry.ts";

/** The schemas of a custom method: any Standard Schema, or a JSON Schema. They stay on the server; clients do not see them. */
export interface CustomMethodOptions<
  Params extends AnySchema | undefined = AnySchema | undefined,
  Result extends AnySchema | undefined = AnySchema | undefined,
> {
  /** The schema of the params, without `_meta`. If they do not match, the caller gets -32602 with the path. Default: any object. */
  params?: Params;
  /**
   * The schema of the result, which is an object. The compiler and the server check what the handler returns. If it does not match,
   * the caller gets -32603 and `onError` gets the reasons. Default: any object.
   */
  result?: Result;
}

export const METHOD_OPTIONS: OptionKeys<CustomMethodOptions> = { params: 1, result: 1 };

/** What the handler of a custom method may return: without a schema any object, or nothing for an empty result. */
export type CustomMethodReturn<Result extends AnySchema | undefined> = Result extends AnySchema ? InferInput<Result> : object | void;

/**
 * Handles the requests of a custom method. The params come without `_meta`, which is in `context.meta`. The client gets an `McpError`
 * that it throws; other errors are masked and reported to `onError`. It cannot ask the user: only tools, prompts and resources can.
 */
export type CustomMethodHandler<
  Params extends AnySchema | undefined = undefined,
  Result extends AnySchema | undefined = undefined,
  Lifespan = unknown,
> = (
  params: Params extends AnySchema ? InferOutput<Params> : JsonObject,
  context: RequestContext<Lifespan>,
) => MaybePromise<CustomMethodReturn<Result>>;

export interface ServedMethod extends Definition {
  readonly options: CustomMethodOptions;
  readonly params: SchemaCheck | undefined;
  readonly result: SchemaCheck | undefined;
}

/** A name that fits into the HTTP header `Mcp-Method` unchanged. */
const METHOD_NAME = /^[\x21-\x7E]{1,128}$/;
/** JSON-RPC 2.0, section 4: such names are for extensions of JSON-RPC itself. */
const RESERVED = /^(rpc\.|notifications\/)/;

/** @throws RangeError if the name is invalid, TypeError if it belongs to the specification or to an extension, or if a schema cannot be used */
export function defineMethod(
  name: string,
  method: Pick<ServedMethod, "options" | "handler">,
  validator: JsonSchemaValidator,
): ServedMethod {
  if (!METHOD_NAME.test(name) || RESERVED.test(name)) {
    throw new RangeError(
      `Method name ${JSON.stringify(name)} must be 1 to 128 visible ASCII characters, without "rpc." or "notifications/"`,
    );
  }
  if (isCoreMethod(name)) throw new TypeError(`The method "${name}" belongs to the specification: wrap it with server.use("${name}", …)`);
  const owner = prefixOwner(name);
  if (owner !== undefined) throw new TypeError(`The method "${name}" has a prefix that is reserved for the extension "${owner}"`);
  const compile = (part: "params" | "result"): SchemaCheck | undefined => {
    const schema = method.options[part];
    return schema && compileCheck(schema, { what: `${part} of method "${name}"`, validator });
  };
  return { ...method, params: compile("params"), result: compile("result") };
}

/** @throws TypeError if an extension in use has one of these methods */
export function assertNotOfExtensions(names: readonly string[], extensions: ServerExtensions | undefined): void {
  const taken = names.find((name) => SUPPORTED_PROTOCOL_VERSIONS.some((version) => extensions?.handlerOf(name, codecFor(version))));
  if (taken !== undefined) throw new TypeError(`The method "${taken}" belongs to an extension in use`);
}

/** @throws McpError -32602 if the params do not match, -32603 if the result does not; and whatever the handler throws */
export function callMethod({ params, result, handler }: ServedMethod, context: RequestContext): MaybePromise<JsonObject> {
  const { method } = context;
  const { _meta, ...own } = context.params;
  const checked: MaybePromise<Validation> = params === undefined ? { value: own } : params.validate(own);
  const returned = andThen(checked, (verdict) => {
    if (verdict.issues) throw new McpError(ErrorCode.InvalidParams, `Invalid params of "${method}": ${describeIssues(verdict.issues)}`);
    return (handler as (params: unknown, context: RequestContext) => unknown)(verdict.value, context); // typed where it was registered
  });
  if (result === undefined) return andThen(returned, (value) => toObject(method, value ?? {}));
  const fitting = andThen(returned, (value) => result.validate(value));
  return andThen(fitting, (verdict) => {
    if (verdict.issues) throw unusableResult(method, "a result that does not match its schema", describeIssues(verdict.issues));
    return toObject(method, verdict.value);
  });
}

/** The returned value as a result. @throws McpError -32603 if it is not an object, or has the protocol's own `resultType` */
function toObject(method: string, returned: unknown): JsonObject {
  // A date or a URL is an object here and a string in JSON.
  const hasOwnForm = isJsonObject(returned) && typeof returned["toJSON"] === "function";
  const value: unknown = hasOwnForm ? JSON.parse(JSON.stringify(returned)) : returned;
  if (!isJsonObject(value)) throw unusableResult(method, "no object", `a result must be an object, and not ${typeof value}`);
  if ("resultType" in value) throw unusableResult(method, "a reserved member", '"resultType" belongs to the protocol');
  return value;
}

/** The client gets -32603. The reason stays in `cause`, for the operator. */
function unusableResult(method: string, what: string, why: string): McpError {
  return new McpError(ErrorCode.InternalError, `Method "${method}" returned ${what}`, undefined, { cause: new Error(why) });
}
