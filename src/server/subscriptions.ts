/**
 * Notifies clients of changes on the server: each client of those it has subscribed to.
 *
 * A stateful client is notified of every list change, and of the resources that it subscribed to. A stateless client opens a
 * `subscriptions/listen` stream: a request that stays open, with a filter.
 */
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { ResourceNotFoundError } from "../protocol/errors.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import { SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
import type { Caller } from "../session/caller.ts";
import type { Connection } from "../session/connection.ts";
import type { ListenExtension } from "../session/extension.ts";
import type { RequestContext } from "../session/request-context.ts";
import { LIST_CHANGED, type Change, type ChangeListener, type Changes, type ListKind } from "./changes.ts";
import type { Features } from "./features.ts";
import { findResource, type Resources } from "./resources.ts";

/** The most resources that one connection can subscribe to. */
export const MAX_SUBSCRIPTIONS = 1_000;

// ---- stateful connections ----

/** Subscribes the client to changes of a resource. @throws ResourceNotFoundError */
export function subscribe(resources: Resources, context: RequestContext): MaybePromise<JsonObject> {
  const uri = context.params["uri"] as string; // checked by the codec
  if (findResource(resources, uri, context) === undefined) throw new ResourceNotFoundError(uri);
  const subscriptions = (context.connection.subscriptions ??= new Set());
  if (subscriptions.size >= MAX_SUBSCRIPTIONS && !subscriptions.has(uri))
    throw new LimitExceededError("maxSubscriptions", MAX_SUBSCRIPTIONS);
  subscriptions.add(uri);
  return keepSubscriptions(context.connection, (kept) => kept.add(uri));
}

export function unsubscribe({ connection, params }: RequestContext): MaybePromise<JsonObject> {
  const uri = params["uri"] as string; // checked by the codec
  connection.subscriptions?.delete(uri);
  return keepSubscriptions(connection, (kept) => kept.delete(uri));
}

/** Resolves with the empty result when other processes that serve the connection can know of the change. */
function keepSubscriptions(connection: Connection, change: (kept: Set<string>) => unknown): MaybePromise<JsonObject> {
  const kept = connection.keep((facts) => {
    const subscriptions = new Set(facts?.subscriptions);
    change(subscriptions);
    return { ...facts!, subscriptions: [...subscriptions] }; // the handshake has made them
  });
  return andThen(kept, () => ({}));
}

/** Notifies a stateful client of a change, if it is subscribed and may know of it. */
export function notifyOf(change: Change, connection: Connection, features: Features): void {
  if (connection.state !== "initialized" || (connection.caller && !isConcerned(change, connection.caller, features))) return;
  if (change.kind !== "resource") connection.notify(LIST_CHANGED[change.kind]);
  else if (connection.subscriptions?.has(change.uri)) connection.notify("notifications/resources/updated", paramsOf(change));
}

/** Whether a caller may know of a change. */
function isConcerned(change: Change, caller: Caller, features: Features): boolean {
  if (change.kind !== "resource") return change.concerns === undefined || change.concerns.some((isOf) => isOf(caller));
  return findResource(features, change.uri, caller) !== undefined || findResource(features, change.uri) === undefined;
}

const updated = new WeakMap<Change, JsonObject>();

/** One frozen object for all connections, so that it is serialized once. */
function paramsOf(change: Change & { readonly kind: "resource" }): JsonObject {
  let params = updated.get(change);
  if (params === undefined) updated.set(change, (params = Object.freeze({ uri: change.uri })));
  return params;
}

// ---- listen streams ----

const FILTERS: readonly { filter: "toolsListChanged" | "promptsListChanged" | "resourcesListChanged"; kind: ListKind }[] = [
  { filter: "toolsListChanged", kind: "tools" },
  { filter: "promptsListChanged", kind: "prompts" },
  { filter: "resourcesListChanged", kind: "resources" },
];

/** The part of a filter that this server serves. Members without a declared capability are left out, as MCP 2026-07-28 requires. */
function selectServed(wanted: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const honoured: SubscriptionFilter = {};
  for (const { filter, kind } of FILTERS) if (wanted[filter] === true && capabilities[kind]?.listChanged) honoured[filter] = true;
  if (wanted.resourceSubscriptions && capabilities.resources?.subscribe) honoured.resourceSubscriptions = wanted.resourceSubscriptions;
  return honoured;
}

/**
 * Serves one `subscriptions/listen` request: acknowledges the filter first, then sends the notifications, each with the id of the request
 * in `_meta`. Ends without a response if the client cancels, and with a result when the server closes.
 */
export function listen(features: Features, changes: Changes, context: RequestContext): Promise<JsonObject> {
  const { capabilities, extensions, guard } = features;
  context.keepOpen();
  guard?.loaded!.watch(context); // a request waits for the guard
  const wanted = context.params["notifications"] as SubscriptionFilter; // checked by the codec
  const filter = selectServed(wanted, capabilities);
  const more = extensions?.listen(context, wanted);
  const source = { changes, features };
  return more ? more.then((extension) => openStream(source, context, filter, extension)) : openStream(source, context, filter);
}

/** Where the notifications of a stream come from. */
interface ChangeSource {
  readonly changes: Changes;
  readonly features: Features;
}

function openStream(
  { changes, features }: ChangeSource,
  context: RequestContext,
  filter: SubscriptionFilter,
  more?: ListenExtension,
): Promise<JsonObject> {
  const _meta = { [SUBSCRIPTION_ID_KEY]: context.requestId };
  const honoured = { ...filter, ...more?.honoured };
  void context.notify("notifications/subscriptions/acknowledged", { _meta, notifications: honoured });
  // Nothing can ever be sent, so the stream ends at once.
  if (!Object.values(honoured).some((part) => part === true || (Array.isArray(part) && part.length > 0))) return Promise.resolve({ _meta });
  const stopMore = more?.begin((method, params) => void context.outbound.notify(method, { ...params, _meta }));
  return new Promise<JsonObject>((resolve) => {
    const { signal } = context;
    const end = (): void => {
      signal.removeEventListener("abort", end);
      stop();
      stopMore?.();
      resolve({ _meta });
    };
    signal.addEventListener("abort", end);
    const stop = changes.subscribe(createListener(context, filter, { _meta, features }), end);
    if (changes.closed || signal.aborted) end();
  });
}

function createListener(
  context: RequestContext,
  filter: SubscriptionFilter,
  { _meta, features }: { readonly _meta: JsonObject; readonly features: Features },
): ChangeListener {
  const lists = new Set<string>(FILTERS.filter((row) => filter[row.filter]).map((row) => row.kind));
  const uris = new Set(filter.resourceSubscriptions);
  return (change: Change) => {
    if (features.guard?.loaded && !isConcerned(change, context, features)) return;
    if (change.kind !== "resource") {
      if (lists.has(change.kind)) void context.notify(LIST_CHANGED[change.kind], { _meta });
    } else if (uris.has(change.uri)) void context.notify("notifications/resources/updated", { _meta, uri: change.uri });
  };
}
