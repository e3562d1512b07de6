/** The questions of a handler with typed answers: forms, pages, yes or no, sampling, roots. */
import { assertKnown, type OptionKeys } from "../../../base/known-options.ts";
import { andThen } from "../../../base/maybe-promise.ts";
import { escapeInvisible } from "../../../base/text/clean-text.ts";
import { ErrorCode, McpError, McpUsageError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { ElicitRequestedSchema, ElicitResult } from "../../../protocol/elicitation.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { CreateMessageRequestParams, CreateMessageResultWithTools, ListRootsResult, Root } from "../../../protocol/sampling.ts";
import { assertRoots } from "../../roots.ts";
import { compileSchema, type CompiledSchema } from "../../../schema/compile.ts";
import type { JsonSchemaValidator } from "../../../schema/json-schema-validator.ts";
import { describeIssues, type AnySchema, type InferOutput } from "../../../schema/standard-schema.ts";
import { assertToolResultBalance, toSampled } from "../../sampling-rules.ts";
import type { StepWork, Elicited, ElicitOptions, ElicitUrlOptions, SecretOptions, KeptCall } from "./asking-context.ts";
import type { ProgressCallback } from "../../../dispatch/dispatcher.ts";
import type { AskOptions, QuestionChannel } from "./question-channel.ts";
import { actionOf } from "./question.ts";
import { toForm, withNulls } from "./form.ts";

const FORM_KEYS: OptionKeys<ElicitOptions<AnySchema>> = { message: 1, schema: 1, once: 1 };
const PAGE_KEYS: OptionKeys<ElicitUrlOptions> = { message: 1, url: 1 };

/** A form: what is sent, and the schema for its answer. */
interface Form {
  readonly requestedSchema: ElicitRequestedSchema;
  readonly compiled: CompiledSchema;
}

const forms = new WeakMap<AnySchema, Form>();

function formOf(name: string, schema: AnySchema, validator: JsonSchemaValidator): Form {
  let form = forms.get(schema);
  if (form === undefined) {
    const what = `question "${name}"`;
    const compiled = compileSchema(schema, { io: "input", what: `schema of ${what}`, validator });
    form = { compiled, requestedSchema: toForm(compiled.jsonSchema, what) };
    forms.set(schema, form);
  }
  return form;
}

/** @throws TypeError if the options stand where the name of the question belongs */
function assertNamed(method: string, name: unknown): void {
  if (typeof name === "string") return;
  throw new TypeError(
    `ctx.${method}() needs the name of its question first: ctx.${method}("seat", { … }). The name stays the same when the handler runs again`,
  );
}

export interface PageQuestions {
  confirm(questions: TypedQuestions, name: string, message: string, error: unknown): Promise<boolean>;
  secret(questions: TypedQuestions, name: string, options: SecretOptions): Promise<string>;
}

/** Asks the questions of one handler: see `asking-context.ts`. */
export class TypedQuestions {
  readonly #call: KeptCall;
  readonly #channel: QuestionChannel;
  readonly #validator: JsonSchemaValidator;

  readonly #pages: PageQuestions | undefined;

  constructor(call: KeptCall, channel: QuestionChannel, validator: JsonSchemaValidator, pages: PageQuestions | undefined) {
    this.#pages = pages;
    this.#call = call;
    this.#channel = channel;
    this.#validator = validator;
  }

  /**
   * A chain of promises without `await`: a rejection is passed on, not thrown again by each function.
   * @throws TypeError if the schema cannot be a form; McpError -32602 if the answer does not fit it
   */
  elicit<Schema extends AnySchema>(name: string, options: ElicitOptions<Schema>): Promise<Elicited<InferOutput<Schema>>> {
    assertNamed("elicit", name);
    assertKnown(`question "${name}"`, options, FORM_KEYS, { requestedSchema: 'Did you mean "schema"?' });
    const { message, schema, once } = options;
    const { requestedSchema, compiled } = formOf(name, schema, this.#validator);
    return this.#askUser(name, { mode: "form", message, requestedSchema }, { once }).then(({ action, content = {} }) => {
      if (action !== "accept") return { action };
      return andThen(compiled.validate(withNulls(content, compiled.jsonSchema, requestedSchema)), (checked) => {
        if (checked.issues !== undefined) {
          throw new McpError(ErrorCode.InvalidParams, `The answer to "${name}" does not fit its form: ${describeIssues(checked.issues)}`);
        }
        return { action, content: checked.value as InferOutput<Schema> }; // the schema's output
      });
    });
  }

  async elicitUrl(name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]> {
    assertNamed("elicitUrl", name);
    assertKnown(`question "${name}"`, options, PAGE_KEYS);
    const { message, url } = options;
    return actionOf(await this.#askUser(name, { mode: "url", message, url }));
  }

  async confirm(name: string, message: string): Promise<boolean> {
    const requestedSchema: ElicitRequestedSchema = { type: "object", properties: {} };
    // Arguments may be in it: what hides or reorders text is written out, as on a page.
    const shown = typeof message === "string" ? escapeInvisible(message) : message;
    try {
      return actionOf(await this.#askUser(name, { mode: "form", message: shown, requestedSchema })) === "accept";
    } catch (error) {
      if (this.#pages === undefined) throw error;
      return this.#pages.confirm(this, name, message, error);
    }
  }

  /** @throws McpUsageError without the option `pages` of the server */
  async secret(name: string, options: SecretOptions): Promise<string> {
    if (this.#pages !== undefined) return this.#pages.secret(this, name, options);
    throw new McpUsageError("ctx.secret() needs pages: new McpServer(info, { pages: userPages({ … }) }), with userPages() of tenon/pages");
  }

  /** @throws RangeError if a tool result matches no use */
  async sample(name: string, params: CreateMessageRequestParams, options?: AskOptions): Promise<CreateMessageResultWithTools> {
    assertToolResultBalance(params.messages);
    const result = await this.#channel.ask(name, { method: "sampling/createMessage", params }, options);
    return toSampled(params, result) as CreateMessageResultWithTools; // checked by the codec, too
  }

  async roots(name: string): Promise<readonly Root[]> {
    return assertRoots(((await this.#channel.ask(name, { method: "roots/list" })) as ListRootsResult).roots); // checked by the codec
  }

  /** Asks what another server asks, which checks the answer. */
  passOn(name: string, question: InputRequest, onProgress: ProgressCallback | undefined): Promise<JsonObject> {
    return question.method === "sampling/createMessage"
      ? this.sample(name, question.params, { onProgress }).then((sampled) => ({ ...sampled }))
      : this.#channel.ask(name, question, { onProgress });
  }

  /** A step of this call only, whatever keeps the steps of the handler longer. */
  ownStep<T>(name: string, work: StepWork<T>): Promise<T> {
    return this.#channel.step(name, work);
  }

  step<T>(name: string, work: StepWork<T>): Promise<T> {
    const { stepKeeper } = this.#call;
    return this.#channel.step(name, stepKeeper === undefined ? work : (step) => stepKeeper.step(name, step, work));
  }

  /** @throws TypeError without a message, which a program without types may forget */
  #askUser(name: string, params: (InputRequest & { method: "elicitation/create" })["params"], options?: AskOptions): Promise<ElicitResult> {
    if (typeof params.message !== "string") throw new TypeError(`Question "${name}" needs a message, the text that the user sees`);
    return this.#channel.ask(name, { method: "elicitation/create", params }, options) as Promise<ElicitResult>; // checked by the codec
  }
}
