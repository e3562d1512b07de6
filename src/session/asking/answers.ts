/** What handlers ask, in their own words: forms with typed answers, pages, yes or no, the client's model, its roots. */
import { isPromise } from "../../jsonrpc/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { ElicitRequestedSchema, ElicitResult } from "../../protocol/elicitation.ts";
import type { InputRequest } from "../../protocol/input-required.ts";
import { compileSchema, type CompiledSchema } from "../../schema/compile.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import { describeIssues, type AnySchema, type InferOutput } from "../../schema/standard-schema.ts";
import type { Asks } from "./asks.ts";
import { toForm } from "./form.ts";

/** What a person said to a form. A decline is an answer: nothing is asked again. */
export type Elicited<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

export interface ElicitOptions<Schema extends AnySchema> {
  /** What the person is asked. */
  message: string;
  /** The form: an object of strings, numbers, booleans and choices. Must not ask for secrets: use a page (L1.6). */
  schema: Schema;
  /** Whether the answer counts once, even if the client repeats it. Default false; on several nodes it needs a shared store. */
  once?: boolean;
}

export interface ElicitUrlOptions {
  /** Why the person should go there. */
  message: string;
  /** The page, `https:`. Nothing in it may let its reader act as the user (L1.9). */
  url: string;
}

/** A form as it is asked and its answer judged. */
interface Form {
  readonly requestedSchema: ElicitRequestedSchema;
  readonly compiled: CompiledSchema;
}

/** Forms made so far, by their schemas. */
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

/** @throws TypeError for a schema no form can have; McpError -32602 for an answer that does not fit it */
export async function elicit<Schema extends AnySchema>(
  asks: Asks,
  name: string,
  { message, schema, once }: ElicitOptions<Schema>,
  validator: JsonSchemaValidator,
): Promise<Elicited<InferOutput<Schema>>> {
  const { requestedSchema, compiled } = formOf(name, schema, validator);
  const question: InputRequest = { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
  const { action, content = {} } = (await asks.ask(name, question, once)) as ElicitResult; // checked by the codec
  if (action !== "accept") return { action };
  const checking = compiled.validate(content);
  const checked = isPromise(checking) ? await checking : checking;
  if (checked.issues !== undefined) {
    throw new McpError(ErrorCode.InvalidParams, `The answer to "${name}" does not fit its form: ${describeIssues(checked.issues)}`);
  }
  return { action, content: checked.value as InferOutput<Schema> }; // what the schema made of it
}

export async function elicitUrl(asks: Asks, name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]> {
  const { message, url } = options;
  const answer = await asks.ask(name, { method: "elicitation/create", params: { mode: "url", message, url } });
  return (answer as ElicitResult).action; // checked by the codec
}

export async function confirm(asks: Asks, name: string, message: string): Promise<boolean> {
  const requestedSchema: ElicitRequestedSchema = { type: "object", properties: {} };
  const answer = await asks.ask(name, { method: "elicitation/create", params: { mode: "form", message, requestedSchema } });
  return (answer as ElicitResult).action === "accept"; // checked by the codec
}

/** The same promise; that nobody waits for it when it is given up is no failure of the process. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** The answer to a question whose kind the codec has checked. */
export function askFor<T>(asks: Asks, name: string, question: InputRequest): Promise<T> {
  return asks.ask(name, question) as Promise<T>; // of the kind that belongs to the question
}
