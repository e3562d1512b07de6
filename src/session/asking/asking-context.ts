/**
 * What a handler asks its client with, in the middle of its work: the half of `ctx` that docs/servers/asking.md is about.
 *
 * `RequestContext` offers it; what does it (`typed-questions.ts`) is loaded with the first question.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { ElicitResult } from "../../protocol/elicitation.ts";
import type { CreateMessageRequestParams, CreateMessageResult, CreateMessageResultWithTools, Root } from "../../protocol/sampling.ts";
import type { AnySchema, InferOutput } from "../../schema/standard-schema.ts";

/** A conversation in which the model is offered neither `tools` nor `toolChoice`: its answer is one block (TY-71). */
export type SampleWithoutTools = CreateMessageRequestParams & { tools?: undefined; toolChoice?: undefined };

/**
 * What a person said to a form (TY-86): the `action`, and the `content` if they accepted. A decline is an answer: nothing is
 * asked again.
 */
export type Elicited<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** A form for a person: `ctx.elicit`. */
export interface ElicitOptions<Schema extends AnySchema> {
  /** What the person is asked. */
  message: string;
  /** The form: an object of strings, numbers, booleans and choices. Must not ask for secrets: use a page (L1.6). */
  schema: Schema;
  /** Whether the answer counts once, even if the client repeats it. Default false; on several nodes it needs a shared store. */
  once?: boolean;
}

/** A page for a person: `ctx.elicitUrl`. */
export interface ElicitUrlOptions {
  /** Why the person should go there. */
  message: string;
  /** The page, `https:`. Nothing in it may let its reader act as the user (L1.9). */
  url: string;
}

/**
 * Every question has a name, which stands for it in this call.
 * @throws MissingClientCapabilityError, NoBackChannelError before anything is asked
 * @throws McpUsageError inside a step, in middleware, and once the handler has ended
 */
export interface AskingContext {
  /**
   * Asks the user to fill in a form, on every revision that has a way to ask. What comes before it may run again: see
   * {@link step}.
   * @throws TypeError for a schema no form can have, McpError -32602 for an answer that does not fit it
   */
  elicit<const Schema extends AnySchema>(name: string, options: ElicitOptions<Schema>): Promise<Elicited<InferOutput<Schema>>>;

  /** Sends the user to a page. `"accept"` is the consent to open it, not what came of it (L1.7). */
  elicitUrl(name: string, options: ElicitUrlOptions): Promise<ElicitResult["action"]>;

  /** Asks the user yes or no. */
  confirm(name: string, message: string): Promise<boolean>;

  /**
   * Lets the client's model answer; tools and tool choice need `sampling.tools`.
   * @throws RangeError for results of tools that answer nothing
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  sample(name: string, params: SampleWithoutTools): Promise<CreateMessageResult>;
  /**
   * Lets the client's model answer that may call tools: its answer may be several blocks, and ask for them.
   * @deprecated in the protocol as of 2026-07-28, where it still works: ask a model yourself.
   */
  sample(name: string, params: CreateMessageRequestParams): Promise<CreateMessageResultWithTools>;

  /**
   * The directories the client lets the server work in. The name is `"roots"` where there is none.
   * @deprecated in the protocol as of 2026-07-28, where it still works: take directories as arguments, or as configuration.
   */
  roots(name?: string): Promise<readonly Root[]>;

  /**
   * Does something once in the whole call, however often the handler runs and the client sends its answers. The value is
   * remembered, so it must survive JSON. A step that throws is not remembered, and runs again if the handler does. Nothing may
   * be asked inside. If the process dies between the work and the end of the round, nobody knows whether it was done: give
   * `key` to the system that does it.
   * @throws McpUsageError for a value that JSON would change; McpError -32602, which also ends the call, if another request
   * has used the same answers
   */
  step<T>(name: string, work: StepWork<T>): Promise<T>;
}

/** What a step is called with. */
export interface Step {
  /**
   * The idempotency key of this step in this call, such as `3b241101-e2bb-4255-8caf-4136c566a962-pay`: a random id of the call, which its
   * client does not know, and the name of the step. It is the same in every run and on every node. Printable ASCII without spaces;
   * characters of the name other than letters, digits, `-` and `_` are written as `~` and four hexadecimal digits.
   */
  readonly key: string;
}

/** The work of a step. */
export type StepWork<T> = (step: Step) => MaybePromise<T>;
