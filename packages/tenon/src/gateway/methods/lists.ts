/** What a caller sees of all servers: each list page by page, and the search of tools. */
import { filterInTurns } from "../../base/turns.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Handler } from "../../session/handler.ts";
import { WHOLE_LIST_KEY } from "../../protocol/tenon-keys.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Caller } from "../clients/caller.ts";
import type { Kind } from "../../upstream/listing.ts";
import { CONNECTING_KEY } from "../meta.ts";
import type { GatewayParts } from "../parts.ts";
import type { ToolSearch } from "../../search/tool-search.ts";
import type { Upstream } from "../servers/upstream.ts";
import type { JoinedEntry } from "../catalog/joined-entry.ts";
import type { JoinedLists } from "../catalog/joined-lists.ts";

/** What a caller sees of all servers, and the names of those that still connect for it. */
interface SeenServers {
  readonly lists: JoinedLists<Upstream>;
  readonly connecting: readonly string[];
  /** The entries that the caller may see; undefined without a policy. */
  readonly visible: readonly JoinedEntry<Upstream>[] | undefined;
}

export class ListMethods {
  readonly #parts: GatewayParts;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  lister(kind: Kind): Handler<RequestContext> {
    const { router, fronts } = this.#parts;
    return async (context) => {
      const caller = fronts.caller(context);
      const lists = await router.lists.fresh(caller, fronts.joiner(context));
      const visible = await this.#allowed(kind, context, lists);
      return this.#page(kind, context, { lists, connecting: router.lists.connecting(caller), visible });
    };
  }

  /** What a caller may see; undefined without a policy. */
  #allowed(kind: Kind, context: RequestContext, lists: JoinedLists<Upstream>): MaybePromise<readonly JoinedEntry<Upstream>[] | undefined> {
    const { settings, access } = this.#parts;
    return settings.policy && filterInTurns(lists.entries[kind], (entry) => access.isAllowed(context, entry));
  }

  #page(kind: Kind, context: RequestContext, { lists, connecting, visible }: SeenServers): JsonObject {
    const { settings, search, spill } = this.#parts;
    const { policy, limits } = settings;
    const cursor = context.params["cursor"] as string | undefined; // checked by the codec
    const isShort = kind === "tool" && search !== undefined && context.meta[WHOLE_LIST_KEY] !== true;
    const short = isShort ? search.listed(visible ?? lists.entries.tool) : visible;
    const chosen = kind === "tool" && spill ? spill.listed(short ?? lists.entries.tool) : short;
    if (connecting.length === 0) return lists.page(kind, cursor, limits.pageSize, chosen);
    // With a policy a caller does not learn the names of servers.
    const missing = policy === undefined ? connecting : true;
    return { ...lists.page(kind, cursor, limits.pageSize, chosen ?? lists.entries[kind]), _meta: { [CONNECTING_KEY]: missing } };
  }

  async search(search: ToolSearch<JoinedEntry<Upstream>>, context: RequestContext, caller: Caller): Promise<JsonObject> {
    const { router, access, fronts } = this.#parts;
    const lists = await router.lists.fresh(caller, fronts.joiner(context));
    const list = { key: lists, tools: lists.entries.tool, onHidden: reportHidden };
    return search.run(context.params, list, (entry) => access.isAllowed(context, entry));
  }
}

function reportHidden({ name, server }: JoinedEntry<Upstream>): void {
  server.report(new Error(`The tool "${name}" is left out: with the option "search" the gateway has a tool of this name`));
}
