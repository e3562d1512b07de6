/**
 * A `subscriptions/listen` request of a stateless client: a listener of the server's `Changes` that sends what its client
 * may and wants to hear, for as long as the request is open.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import { SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import type { ListenExtension } from "../session/extension.ts";
import type { RequestContext } from "../session/request-context.ts";
import { LIST_CHANGED, type Change, type ChangeListener, type Changes, type ListKind } from "./changes.ts";
import type { Closing } from "./closing.ts";
import type { Features } from "./features.ts";

const FILTERS: readonly { filter: "toolsListChanged" | "promptsListChanged" | "resourcesListChanged"; kind: ListKind }[] = [
  { filter: "toolsListChanged", kind: "tools" },
  { filter: "promptsListChanged", kind: "prompts" },
  { filter: "resourcesListChanged", kind: "resources" },
];

/** The part of a filter this server serves; what it did not advertise is left out silently (I10). */
function honour(wanted: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const honoured: SubscriptionFilter = {};
  for (const { filter, kind } of FILTERS) if (wanted[filter] === true && capabilities[kind]?.listChanged) honoured[filter] = true;
  if (wanted.resourceSubscriptions && capabilities.resources?.subscribe) honoured.resourceSubscriptions = wanted.resourceSubscriptions;
  return honoured;
}

/**
 * Serves one `subscriptions/listen` request: acknowledges first, then sends what was honoured, each notification
 * tagged with the request's id (I4, I5, A3.10). Ends without an answer when the client cancels, and with one when the
 * server closes.
 */
export function listen({ facts, extensions }: Features, context: RequestContext, sources: Sources): Promise<JsonObject> {
  context.keepOpen();
  const wanted = context.params["notifications"] as SubscriptionFilter; // checked by the codec
  const filter = honour(wanted, facts().capabilities);
  const more = extensions?.listen(context, wanted);
  return more ? more.then((extension) => open(sources, context, filter, extension)) : open(sources, context, filter);
}

/** Where the changes come from, and the end. */
interface Sources {
  readonly changes: Changes;
  readonly closing: Closing;
}

function open(
  { changes, closing }: Sources,
  context: RequestContext,
  filter: SubscriptionFilter,
  more?: ListenExtension,
): Promise<JsonObject> {
  const _meta = { [SUBSCRIPTION_ID_KEY]: context.requestId };
  const honoured = { ...filter, ...more?.honoured };
  void context.notify("notifications/subscriptions/acknowledged", { _meta, notifications: honoured });
  // Nothing will ever be said: it need not be kept open.
  if (!Object.values(honoured).some((part) => part === true || (Array.isArray(part) && part.length > 0))) return Promise.resolve({ _meta });
  const stop = changes.subscribe(listener(context, filter, _meta));
  const stopMore = more?.begin((method, params) => void context.outbound.notify(method, { ...params, _meta }));
  return new Promise<JsonObject>((resolve) => {
    const { signal } = context;
    const end = (): void => {
      forget();
      signal.removeEventListener("abort", end);
      stop();
      stopMore?.();
      resolve({ _meta });
    };
    signal.addEventListener("abort", end);
    const forget = closing.subscribe(end);
    if (closing.closed || signal.aborted) end();
  });
}

function listener(context: RequestContext, filter: SubscriptionFilter, _meta: JsonObject): ChangeListener {
  const lists = new Set<string>(FILTERS.filter((row) => filter[row.filter]).map((row) => row.kind));
  const uris = new Set(filter.resourceSubscriptions);
  return (change: Change) => {
    if (change.kind !== "resource") {
      if (lists.has(change.kind)) void context.notify(LIST_CHANGED[change.kind], { _meta });
    } else if (uris.has(change.uri)) void context.notify("notifications/resources/updated", { _meta, uri: change.uri });
  };
}
