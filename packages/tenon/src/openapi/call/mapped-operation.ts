/** One operation of a document as a tool: its schemas, made once, and its calls. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { CallToolResult, ToolAnnotations } from "../../protocol/tools.ts";
import { type JsonSchemaCheck, defaultJsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { describeIssues } from "../../schema/standard-schema.ts";
import { ToolError } from "../../server/features/tool-error.ts";
import type { ToolOptions } from "../../server/features/tools.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { ArgumentError } from "../document/errors.ts";
import type { OpenApiOptions } from "../options.ts";
import { type OpenApiOperation, lineOf } from "../document/operation.ts";
import { fitLoose } from "../schema/output-schema.ts";
import type { OutputPlan } from "../schema/output.ts";
import { toRequest, type RequestPlan } from "./request.ts";
import { toResult } from "./result.ts";
import { isRenewed, withCredentials, type Requirement, type SignedRequest } from "./security.ts";
import { send, SendError, type Received, type SendOptions } from "./send.ts";
import type { Parameter } from "../schema/parameters.ts";
import { shortened } from "../document/values.ts";

/** What was found out about an operation before its first call. */
export interface OperationPlan {
  readonly operation: OpenApiOperation;
  readonly request: RequestPlan;
  readonly requirement: Requirement;
  readonly input: JsonObject;
  readonly output: OutputPlan;
}

export class MappedOperation {
  readonly plan: OperationPlan;
  readonly #options: OpenApiOptions;
  readonly #sending: SendOptions;
  #check: MaybePromise<JsonSchemaCheck> | undefined;

  constructor(plan: OperationPlan, options: OpenApiOptions, sending: SendOptions) {
    this.plan = plan;
    this.#options = options;
    this.#sending = sending;
  }

  toolOptions(): ToolOptions {
    const { operation, request, input, output } = this.plan;
    const options: ToolOptions = {
      description: descriptionOf(operation, request.parameters),
      input,
      ...(output.schema !== undefined && { output: output.schema }),
      annotations: annotationsOf(operation),
    };
    return this.#options.map?.(options, operation) ?? options;
  }

  /** Sends the request of a call. @throws ToolError whose text the model reads; the reason of the context's signal */
  async call(args: JsonObject, context: RequestContext): Promise<CallToolResult> {
    try {
      return await this.#conform(await this.#exchange(args, context));
    } catch (error) {
      if (error instanceof ArgumentError) throw new ToolError(error.message);
      if (!(error instanceof SendError)) throw error;
      if (error.cause instanceof Error) this.#options.onError?.(error.cause);
      throw new ToolError(error.message, { cause: error.cause });
    }
  }

  async #exchange(args: JsonObject, context: RequestContext): Promise<CallToolResult> {
    const { readFile, auth = {} } = this.#options;
    const { request: plan, requirement } = this.plan;
    const request = await toRequest(plan, args, readFile && (async (uri) => readFile(uri, context)));
    const sign = (refused?: SignedRequest): Promise<SignedRequest> =>
      withCredentials(request, requirement, auth, context, refused?.returned);
    const signed = await sign();
    const { received, secrets } = await this.#sendSigned(signed, sign, context);
    const { maxResponseBytes } = this.#sending;
    return toResult(received, { method: plan.method, url: request.url, secrets, parameters: plan.parameters, maxResponseBytes });
  }

  /** Sends a request. If the API refuses credentials that functions returned, sends it again with others, once. */
  async #sendSigned(
    signed: SignedRequest,
    sign: (refused: SignedRequest) => Promise<SignedRequest>,
    context: RequestContext,
  ): Promise<{ readonly received: Received; readonly secrets: readonly string[] }> {
    const received = await send(signed.request, this.#sending, context);
    const { secrets } = signed;
    if (received.status !== 401 || signed.returned.size === 0) return { received, secrets };
    const renewed = await sign(signed).catch((error: unknown) => {
      if (error instanceof ArgumentError) return signed; // the caller has no other one, so the model reads what the API says
      throw error;
    });
    if (!isRenewed(renewed, signed)) return { received, secrets };
    return { received: await send(renewed.request, this.#sending, context), secrets: [...secrets, ...renewed.secrets] };
  }

  /** Makes the data of a result match the published schema, or says that it does not. */
  async #conform(result: CallToolResult): Promise<CallToolResult> {
    const { schema, isExact, isWrapped } = this.plan.output;
    if (schema === undefined) return result;
    const { structuredContent: data } = result;
    if (isExact) return this.#checked(result, schema);
    const isObject = isJsonObject(data);
    if (!isObject) return { ...result, structuredContent: {} };
    const { value, isChanged } = fitLoose(data, schema);
    if (isChanged)
      this.#options.onError?.(
        new Error(`The response of ${this.#line} does not have the types of its schema${isWrapped ? " (result)" : ""}`),
      );
    return { ...result, structuredContent: value as JsonObject }; // an object stays one
  }

  async #checked(result: CallToolResult, schema: JsonObject): Promise<CallToolResult> {
    this.#check ??= defaultJsonSchemaValidator.compile(schema);
    const { issues } = (await this.#check)(result.structuredContent ?? {});
    if (issues === undefined) return { ...result, structuredContent: result.structuredContent ?? {} };
    const problem = `The API accepted the request, but its response does not match the schema: ${describeIssues(issues)}`;
    this.#options.onError?.(new Error(`${this.#line}: ${problem}`));
    return { isError: true, content: [{ type: "text", text: problem }, ...result.content] };
  }

  get #line(): string {
    return `${this.plan.operation.method} ${this.plan.operation.path}`;
  }
}

const MAX_DESCRIPTION = 2_000;
const NEXT_PAGE =
  /^(page|page[_.-]?(number|token|index)|cursor|offset|skip|start|after|starting[_-]?after|continue|next[_-]?token|page\[(number|cursor|offset|after)\])$/i;
const SAFE = ["GET", "HEAD", "OPTIONS", "QUERY"];
const IDEMPOTENT = [...SAFE, "PUT", "DELETE"];

/** The summary and the description, or the method and the path if there are neither; and that a list has pages. */
export function descriptionOf(operation: OpenApiOperation, parameters: readonly Parameter[]): string {
  const { summary, description } = operation;
  const texts = [summary, description === summary ? undefined : description].filter((text) => text !== undefined);
  const whole = shortened((texts.length === 0 ? lineOf(operation) : texts.join("\n\n")).trim(), MAX_DESCRIPTION);
  const next = parameters.find(({ place, writing }) => place === "query" && NEXT_PAGE.test(writing.name));
  return next === undefined ? whole : `${whole}\n\nReturns one page: pass ${JSON.stringify(next.argument)} to get another one.`;
}

/** What the method says about a call. All calls reach another system. */
export function annotationsOf({ method }: OpenApiOperation): ToolAnnotations {
  if (SAFE.includes(method)) return { readOnlyHint: true, openWorldHint: true };
  return { readOnlyHint: false, destructiveHint: true, idempotentHint: IDEMPOTENT.includes(method), openWorldHint: true };
}
