/**
 * One listener of `client.onNotification`: it takes the notifications of one method, checks their params, and calls its handler.
 *
 * Notifications stay in order: while the params of one are checked, or its schema is loaded, later ones wait for it.
 */
import { assertKnown } from "../base/known-options.ts";
import { andThen, attempt, isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { METHODS } from "../protocol/methods.ts";
import type { AnySchema, InferOutput } from "../schema/standard-schema.ts";
import type { ValueChecks } from "./call/value-checks.ts";
import type { Inbox } from "./inbox.ts";

/** Options of `client.onNotification`. */
export interface NotificationOptions<Params extends AnySchema | undefined = AnySchema | undefined> {
  /**
   * The schema of the params, without `_meta`: a Standard Schema or a JSON Schema. Params that do not match are reported to `onError`, and
   * the notification is dropped. Default: any object.
   */
  params?: Params;
}

/**
 * Called with the params of each notification, in order. What it returns is ignored; an error that it throws, or
 * rejects with, goes to `onError`.
 */
export type NotificationHandler<Params extends AnySchema | undefined = undefined> = (
  params: Params extends AnySchema ? InferOutput<Params> : JsonObject,
) => unknown;

/** @throws TypeError if no server sends such a notification, or if the client itself uses it up */
function assertCanListenTo(method: string): void {
  const row = METHODS.find((known) => known.method === method);
  if (row === undefined) return;
  const isHeard = row.kind === "notification" && row.sender !== "client" && method !== "notifications/cancelled";
  if (!isHeard) throw new TypeError(`"${method}" is no notification that a client can listen to`);
}

/**
 * Calls `handler` with each notification of that method. Returns a function that stops it.
 * @throws TypeError if the client cannot listen to the method, an option does not exist, or there is no handler
 */
export function listenTo(
  { checks, report, inbox }: { readonly checks: ValueChecks; readonly report: (error: unknown) => void; readonly inbox: Inbox },
  method: string,
  options: NotificationOptions,
  handler: ((params: never) => unknown) | undefined,
): () => void {
  assertCanListenTo(method);
  assertKnown(`onNotification("${method}")`, options, { params: 1 });
  if (handler === undefined) throw new TypeError(`onNotification("${method}") has no handler`);
  const { params: schema } = options;
  let stopped = false;
  /** Set while params are checked. */
  let checking: Promise<void> | undefined;

  const check = (params: JsonObject): MaybePromise<unknown> =>
    schema === undefined ? params : andThen(checks.of(schema, `params of "${method}"`), (fitting) => fitting(params));
  const call = (params: unknown): void => {
    if (!stopped) void attempt(() => handler(params as never), report); // the schema has checked it
  };
  const take = (params: JsonObject): MaybePromise<void> => attempt(() => andThen(check(params), call), report);

  const unsubscribe = inbox.subscribe((received, params) => {
    if (received !== method) return;
    const taken = checking === undefined ? take(params) : checking.then(() => take(params));
    if (!isPromise(taken)) return;
    checking = taken;
    void taken.then(() => {
      if (checking === taken) checking = undefined;
    });
  });
  return () => {
    stopped = true;
    unsubscribe();
  };
}
