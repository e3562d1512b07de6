/**
 * Serves `subscriptions/listen` of the stateless revisions: a request that stays open, with a filter.
 *
 * If several processes share their changes, each message of the stream names the last change that the client knows. A client that opens a
 * stream again, at any process, gives that name back and hears what it has missed, or that it must read everything again.
 */
import type { ChangeRelay, MissedChange } from "../../dispatch/acceptor.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";
import type { SubscriptionFilter } from "../../protocol/lifecycle.ts";
import { CURSOR_KEY, REREAD_KEY } from "../../protocol/tenon-keys.ts";
import { SUBSCRIPTION_ID_KEY } from "../../protocol/meta-keys.ts";
import type { ListenExtension } from "../../session/extension.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { everyChange, LIST_CHANGED, type Change, type ListKind } from "../features/change.ts";
import type { Changes } from "./changes.ts";
import type { Features } from "../features/features.ts";
import { assertWatchable, isConcerned } from "./subscriptions.ts";

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
 * @throws LimitExceededError if the client wants to watch too many resources
 */
export function listen(features: Features, changes: Changes, context: RequestContext): Promise<JsonObject> {
  const { capabilities, extensions, guard } = features;
  context.keepOpen();
  guard?.loaded!.watch(context); // a request waits for the guard
  const wanted = context.params["notifications"] as SubscriptionFilter; // checked by the codec
  assertWatchable(wanted.resourceSubscriptions ?? []);
  const filter = selectServed(wanted, capabilities);
  const stream = new ListenStream(features, changes, { context, filter });
  const more = extensions?.listen(context, wanted);
  return more ? more.then((extension) => stream.open(extension)) : stream.open();
}

interface ListenRequest {
  readonly context: RequestContext;
  /** What the server serves of the client's filter. */
  readonly filter: SubscriptionFilter;
}

class ListenStream {
  readonly #features: Features;
  readonly #changes: Changes;
  readonly #context: RequestContext;
  readonly #filter: SubscriptionFilter;
  readonly #lists: ReadonlySet<ListKind>;
  readonly #uris: ReadonlySet<string>;
  readonly #relay: ChangeRelay | undefined;
  /** `_meta` of every message, if this process shares its changes with no other. */
  readonly #meta: JsonObject;

  constructor(features: Features, changes: Changes, { context, filter }: ListenRequest) {
    this.#features = features;
    this.#changes = changes;
    this.#relay = changes.relay;
    this.#context = context;
    this.#filter = filter;
    this.#lists = new Set(FILTERS.filter((row) => filter[row.filter]).map((row) => row.kind));
    this.#uris = new Set(filter.resourceSubscriptions);
    this.#meta = { [SUBSCRIPTION_ID_KEY]: context.requestId };
  }

  /** Resolves with the result when the stream has ended. */
  open(more?: ListenExtension): Promise<JsonObject> {
    const honoured = { ...this.#filter, ...more?.honoured };
    if (!Object.values(honoured).some((part) => part === true || (Array.isArray(part) && part.length > 0))) {
      this.#acknowledge(honoured, this.#metaAt(this.#relay?.cursor)); // nothing can ever be sent
      return Promise.resolve({ _meta: this.#meta });
    }
    const cursor = cursorOf(this.#context);
    return new Promise<JsonObject>((resolve) => {
      const begin = (missed?: readonly MissedChange[]): void => {
        this.#acknowledge(honoured, this.#metaOfBeginning(cursor, missed));
        for (const each of missed ?? []) this.#sendMissed(each);
        this.#follow(() => resolve({ _meta: this.#metaAt(this.#relay?.cursor) }), more);
      };
      if (this.#relay === undefined || cursor === undefined) begin();
      else void this.#relay.resume(cursor, begin);
    });
  }

  /** Sends changes as they come, until the client cancels or the server closes. */
  #follow(onEnd: () => void, more: ListenExtension | undefined): void {
    const { signal, outbound } = this.#context;
    const stopMore = more?.begin((method, { _meta, ...params }) => {
      void outbound.notify(method, { ...params, _meta: { ...(isJsonObject(_meta) && _meta), ...this.#meta } });
    });
    const onClose = (): void => {
      signal.removeEventListener("abort", onClose);
      stop();
      stopMore?.();
      onEnd();
    };
    signal.addEventListener("abort", onClose);
    const onLost = (): void => {
      for (const change of everyChange(this.#uris)) this.#send(change, this.#relay?.cursor);
    };
    const stop = this.#changes.subscribe((change) => this.#send(change, this.#relay?.cursor), { onClose, onLost });
    if (this.#changes.closed || signal.aborted) onClose();
  }

  // ---- messages ----

  #acknowledge(notifications: JsonObject, _meta: JsonObject): void {
    void this.#context.notify("notifications/subscriptions/acknowledged", { _meta, notifications });
  }

  /** Until the client has received what it missed, it knows no later change than before. */
  #metaOfBeginning(cursor: string | undefined, missed: readonly MissedChange[] | undefined): JsonObject {
    if (missed !== undefined) return this.#metaAt(cursor);
    const now = this.#metaAt(this.#relay?.cursor);
    return cursor === undefined ? now : { ...now, [REREAD_KEY]: true };
  }

  #sendMissed({ change, cursor }: MissedChange): void {
    if (change.kind !== "everything") return this.#send(change, cursor);
    for (const each of everyChange(this.#uris)) this.#send(each, cursor);
  }

  /** Sends a change, if the client watches it and may know of it. @param cursor names the change, if processes share their changes */
  #send(change: Change, cursor: string | undefined): void {
    if (this.#features.guard?.loaded && !isConcerned(change, this.#context, this.#features)) return;
    if (change.kind !== "resource") {
      if (this.#lists.has(change.kind)) void this.#context.notify(LIST_CHANGED[change.kind], { _meta: this.#metaAt(cursor) });
    } else if (this.#uris.has(change.uri)) {
      void this.#context.notify("notifications/resources/updated", { _meta: this.#metaAt(cursor), uri: change.uri });
    }
  }

  #metaAt(cursor: string | undefined): JsonObject {
    return cursor === undefined ? this.#meta : { ...this.#meta, [CURSOR_KEY]: cursor };
  }
}

/** The last change that the client knows, as an earlier stream has named it. */
function cursorOf({ params }: RequestContext): string | undefined {
  const meta = params["_meta"];
  const cursor = isJsonObject(meta) ? meta[CURSOR_KEY] : undefined;
  return typeof cursor === "string" ? cursor : undefined;
}
