/**
 * Everything is one function: a `Handler` answers a context with a result, a `Middleware` wraps a handler.
 *
 * Servers, the outgoing side of clients and gateways are all handlers, so one middleware works on each of them.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";

/** What every handler is told: which method, with which params, until when. */
export interface HandlerContext {
  /** What is asked, such as `tools/call`. */
  readonly method: string;
  /** Checked already. A middleware may put others in their place; they are not checked again. */
  params: JsonObject;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
  /** Tells the handler to end: its signal aborts with that reason. Absent on the way out of a client, which has no handler. */
  abort?(reason: unknown): void;
}

/** Answers one request. It may answer at once: `await` it, do not rely on `.then`. */
export type Handler<C extends HandlerContext = HandlerContext> = (context: C) => MaybePromise<JsonObject>;

/** Wraps a handler. Runs once, when it is registered; what it returns runs on each request. */
export type Middleware<C extends HandlerContext = HandlerContext> = (next: Handler<C>) => Handler<C>;

/** A handler of one method of the specification: its params and its result are those of the method. */
export type MethodHandler<M extends RequestMethod, C extends HandlerContext = HandlerContext> = (
  context: C & { params: NonNullable<ParamsOf<M>> },
) => MaybePromise<ResultOf<M>>;

/** Wraps the handler of one method of the specification. */
export type MethodMiddleware<M extends RequestMethod, C extends HandlerContext = HandlerContext> = (
  next: MethodHandler<M, C>,
) => MethodHandler<M, C>;

/**
 * Middleware that a client wraps around both of its directions: what it asks of its server and what it answers it.
 * The context tells which: only requests on their way out have `options`.
 */
export interface TwoWayMiddleware {
  /** Wraps a handler of either direction. */
  <C extends HandlerContext>(next: Handler<C>): Handler<C>;
  /** Says that it is for both. */
  readonly bothWays: true;
}

/** One handler of many layers; the first middleware is the outermost. */
export function compose<C extends HandlerContext>(middleware: readonly Middleware<C>[], handler: Handler<C>): Handler<C> {
  return middleware.reduceRight((next, wrap) => wrap(next), handler);
}

/** The same middleware, for one method only. */
export function onlyFor<C extends HandlerContext>(method: string, middleware: Middleware<C>): Middleware<C> {
  return (next) => {
    const wrapped = middleware(next);
    return (context) => (context.method === method ? wrapped(context) : next(context));
  };
}
