/**
 * Pages of an endpoint at which a user answers what a client cannot ask: the interface between a handler's questions and `tenon/pages`,
 * which a server loads only if it has the option `pages`.
 */
import type { Pages } from "../../dispatch/acceptor.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { RequestContext } from "../request-context.ts";
import type { ServerHome } from "../connection.ts";
import type { SecretOptions } from "./questions/asking-context.ts";
import type { TypedQuestions } from "./questions/typed-questions.ts";
import type { SealingKey } from "./options.ts";

/** The option `pages` of a server: what `userPages()` returns. */
export interface UserPages {
  /** @internal Joins a server. */
  serve(host: UserPagesHost): ServedUserPages;
}

/** What the pages need of their server. */
export interface UserPagesHost {
  readonly home: ServerHome;
  readonly keys: readonly SealingKey[] | undefined;
  /** Reports an error to the operator. */
  report(error: unknown): void;
}

export interface AskingHandler {
  readonly context: RequestContext;
  readonly questions: TypedQuestions;
}

export interface ServedUserPages extends Pages {
  /** Asks by a page what the client could not ask. @throws `error` if there is no page for this client either */
  confirm(handler: AskingHandler, name: string, message: string, error: unknown): Promise<boolean>;
  /** See `ctx.secret`. */
  secret(handler: AskingHandler, name: string, options: SecretOptions): Promise<string>;
  /** Runs a request, and takes the secrets that its handler has read out of what leaves it. */
  guard(context: RequestContext, run: () => MaybePromise<JsonObject>): Promise<JsonObject>;
  /** A value that outlives its request, such as a result that is kept, without the secrets of its user. An error is changed in place. */
  clean<T>(value: T, principal: string | undefined): T;
  close(): Promise<void>;
}
