/**
 * How a handler asks its client in the middle of a call: the part of `ctx` that docs/servers/asking.md describes.
 *
 * `RequestContext` implements it; the code behind it (`typed-questions.ts`) is loaded with the first question.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { ElicitResult } from "../../../protocol/elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../../../protocol/sampling.ts";
import type { AnySchema, InferInput, InferOutput } from "../../../schema/standard-schema.ts";

/** Sampling params with neither `tools` nor `toolChoice` (MCP schema): the answer is one block. */
export type SampleWithoutTools = CreateMessageRequestParams & { tools?: undefined; toolChoice?: undefined };

/**
 * The user's answer to a form (MCP schema): the `action`, and the `content` if the user accepted. A decline is an answer too: the form is not
 * shown again.
 */
export type Elicited<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** What a field of a form may hold. */
type FieldValue = string | number | bigint | boolean | symbol | null | undefined | readonly string[];

/** The fields of a form that hold objects, or lists of anything but texts. A field of an unknown type may hold anything. */
type NestedFields<Answer> = Answer extends object
  ? { [Name in keyof Answer]-?: unknown extends Answer[Name] ? never : Answer[Name] extends FieldValue ? never : Name }[keyof Answer]
  : never;

/** Anything if the schema is flat, as forms are (MCP 2025-11-25, Elicitation); else options that no schema fits, with the reason. */
export type FlatForm<Schema extends AnySchema> = [NestedFields<InferInput<Schema>>] extends [never]
  ? unknown
  : { schema: `A form has no objects, and lists of texts only: ${NestedFields<InferInput<Schema>> & string}` };

/** A form for the user: `ctx.elicit`. */
export interface ElicitOptions<Schema extends AnySchema> {
  /** The text that the user sees. */
  message: string;
  /** The form: an object of strings, numbers, booleans and choices. Security: it must not ask for secrets; use a page for those. */
  schema: Schema;
  /** Whether the answer can be used once only, even if the client repeats it. Default false; several nodes need a shared store for it. */
  once?: boolean;
}

/** A page for the user: `ctx.elicitUrl`. */
export interface ElicitUrlOptions {
  /** The reason to go there, for the user. */
  message: string;
  /** The page, `https:`. Security: a person who reads the URL must not be able to act as the user with it. */
  url: string;
}

/** What a user gives by `ctx.secret`. */
export interface SecretOptions {
  /** Why the server needs it, for the user: at most 2 000 characters. */
  message: string;
}

/**
 * Every question has a name, which identifies it in this call.
 * @throws MissingClientCapabilityError, NoBackChannelError before anything is asked
 * @throws McpUsageError inside a step, in middleware, and after the handler has ended
 */
export interface AskingContext {
  /**
   * Asks the user to fill in a form, on every revision that has elicitation. This is the way to ask. Code before it may run again: see
   * {@link step}.
   * @throws TypeError if the schema cannot be a form, McpError -32602 if the answer does not fit it
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   * import * as z from "zod";
   *
   * const server = new McpServer({ name: "booking", version: "1.0.0" });
   * server.tool("book", {}, async (_input, ctx) => {
   *   const answer = await ctx.elicit("seats", { message: "How many seats?", schema: z.object({ seats: z.number() }) });
   *   return answer.action === "accept" ? `Booked ${answer.content.seats}` : "Not booked";
   * });
   * await using client = await connect(server, { onElicit: () => ({ action: "accept", content: { seats: 2 } }) });
   * console.log((await client.callTool("book")).text); // Booked 2
   * ```
   */
  elicit<const Schema extends AnySchema>(
    name: string,
    options: ElicitOptions<Schema> & FlatForm<Schema>,
  ): Promise<Elicited<InferOutput<Schema>>>;

  /** Sends the user to a page. `"accept"` is the consent to open it, not the outcome. */
  elicitUrl(name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]>;

  /**
   * Asks the user yes or no: by a form, and where the client cannot show one, by a page of the endpoint (option `pages` of the server).
   * The form has no fields. An accept whose content says no, such as `{ confirm: false }`, is a no.
   * @throws McpError with the address of the page, for a client that cannot open it by itself: let it pass, and nothing is done
   */
  confirm(name: string, message: string): Promise<boolean>;

  /**
   * The user's own key for what is behind this server, such as an access token. What is kept is returned; else the user is asked once, on
   * a page of the endpoint (option `pages` of the server), because MCP forbids to ask for secrets by a form. The key is kept sealed for this
   * user (`tenon/pages`). What leaves the call has `[secret]` in its place. Code before it may run again: see {@link step}.
   * @param name 1 to 64 of `A-Za-z0-9_.-`, such as `"github"`
   * @throws McpUsageError without the option `pages`, or if the call has no user; McpError if the user gives none, or has to open a page
   * first: let it pass
   */
  secret(name: string, options: SecretOptions): Promise<string>;

  /**
   * Requests a message from the client's model; tools and tool choice need `sampling.tools`.
   * @throws RangeError if a tool result matches no use
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  sample(name: string, params: SampleWithoutTools): Promise<CreateMessageResult>;
  /**
   * Requests a message from the client's model, which may call tools: the answer may have several blocks, and uses of tools.
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  sample(name: string, params: CreateMessageRequestParams): Promise<CreateMessageResultWithTools>;

  /**
   * The directories that the server may work in. Default name: `"roots"`.
   * @deprecated in the protocol as of 2026-07-28, where it still works: take directories as arguments, or as configuration.
   */
  roots(name?: string): Promise<readonly Root[]>;

  /**
   * Does some work once in the whole call, however often the handler runs and the client sends its answers. The value is recorded,
   * so it must survive JSON. A step that throws is not recorded, and runs again if the handler does. A step cannot ask. If the
   * process dies between the work and the end of the round, it is unknown whether the work was done: pass `key` to the system that
   * does it.
   * @throws McpUsageError if JSON would change the value; McpError -32602, which also ends the call, if another request has used
   * the same answers
   * @example
   * ```ts
   * import { connect } from "tenon/client";
   * import { McpServer } from "tenon/server";
   *
   * let paid = 0;
   * const server = new McpServer({ name: "shop", version: "1.0.0" });
   * server.tool("buy", {}, async (_input, ctx) => {
   *   const receipt = await ctx.step("pay", () => `receipt ${++paid}`); // once, however often the handler runs again
   *   return (await ctx.confirm("gift", "Is it a gift?")) ? `${receipt}, wrapped` : receipt;
   * });
   * await using client = await connect(server, { onElicit: () => ({ action: "accept", content: { confirm: true } }) });
   * console.log((await client.callTool("buy")).text, paid); // receipt 1, wrapped 1
   * ```
   */
  step<T>(name: string, work: StepWork<T>): Promise<T>;
}

/** The argument of a step's work. */
export interface Step {
  /**
   * The idempotency key of this step in this call, such as `3b241101-e2bb-4255-8caf-4136c566a962-pay`: a random id of the call,
   * which its client does not know, and the name of the step. It is the same in every run and on every node. Printable ASCII
   * without spaces; characters of the name other than letters, digits, `-` and `_` are written as `~` and four hexadecimal digits.
   */
  readonly key: string;
}

/** The work of a step. */
export type StepWork<T> = (step: Step) => MaybePromise<T>;

/** A call whose steps may be kept. */
export interface KeptCall {
  /** Absent unless the tool says so. */
  readonly stepKeeper?: StepKeeper | undefined;
}

/** Keeps the finished steps of a call longer than the call: another call of the same key then does not run them again. */
export interface StepKeeper {
  /** Runs the work of a step that the call itself has not run, or returns what an earlier run of the same key returned. */
  step<T>(name: string, step: Step, work: StepWork<T>): Promise<T>;
}
