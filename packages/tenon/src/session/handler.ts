/**
 * Everything is one function: a `Handler` turns a context into a result, a `Middleware` wraps a handler.
 *
 * Servers, the outbound side of clients and gateways are all handlers, so one middleware works on each of them.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ParamsOf, RequestMethod, ResultOf } from "../protocol/messages.ts";

/** What every handler gets: the method, the params and a signal. */
export interface HandlerContext {
  /** The method, such as `tools/call`. */
  readonly method: string;
  /** The params, already checked. If a middleware replaces them, they are not checked again. */
  params: JsonObject;
  /** Aborts when no caller waits for the result any more. */
  readonly signal: AbortSignal;
  /** Asks the handler to end: its signal aborts with that reason. Absent on the outbound side of a client, which has no handler. */
  abort?(reason: unknown): void;
}

/** Handles one request. It may return at once: use `await`, do not rely on `.then`. */
export type Handler<C extends HandlerContext = HandlerContext> = (context: C) => MaybePromise<JsonObject>;

/** Wraps a handler. Runs once, when it is registered; the handler that it returns runs on each request. */
export type Middleware<C extends HandlerContext = HandlerContext> = (next: Handler<C>) => Handler<C>;

/** A handler of one method of the specification: its params and its result are the method's. */
export type MethodHandler<M extends RequestMethod, C extends HandlerContext = HandlerContext> = (
  context: C & { params: NonNullable<ParamsOf<M>> },
) => MaybePromise<ResultOf<M>>;

/** Wraps the handler of one method of the specification. */
export type MethodMiddleware<M extends RequestMethod, C extends HandlerContext = HandlerContext> = (
  next: MethodHandler<M, C>,
) => MethodHandler<M, C>;

/**
 * Middleware of type `Layer` if it fits the method. Middleware for any method returns plain JSON objects, which fit each method. What
 * names its result must return the result of the method, or it does not compile.
 */
export type FittingMiddleware<M extends string, Layer extends (next: never) => (context: never) => unknown> = M extends RequestMethod
  ? [WrongResult<M, Awaited<ReturnType<ReturnType<Layer>>>>] extends [never]
    ? Layer
    : MethodMiddleware<M>
  : Layer;

/** What a middleware may return and the method may not. A type that takes any name is a plain JSON object. */
type WrongResult<M extends RequestMethod, Result> = Result extends unknown
  ? string extends keyof Result
    ? never
    : Exclude<Result, ResultOf<M>>
  : never;

/**
 * Middleware that a client uses in both directions: for its requests to the server and the server's requests to it. Only the
 * context of an outbound request has `options`.
 */
export interface TwoWayMiddleware {
  /** Wraps a handler of either direction. */
  <C extends HandlerContext>(next: Handler<C>): Handler<C>;
  /** Marks it as middleware for both directions. */
  readonly bothWays: true;
}

/** One handler of many layers; the first middleware is the outermost. */
export function compose<C extends HandlerContext>(middleware: readonly Middleware<C>[], handler: Handler<C>): Handler<C> {
  return middleware.reduceRight((next, wrap) => wrap(next), handler);
}

export function onlyFor<C extends HandlerContext>(methods: ReadonlySet<string>, middleware: Middleware<C>): Middleware<C> {
  return (next) => {
    const wrapped = middleware(next);
    return (context) => (methods.has(context.method) ? wrapped(context) : next(context));
  };
}
