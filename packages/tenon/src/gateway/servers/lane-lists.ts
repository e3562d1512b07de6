/** The lists of a server as one lane reads them: at each connection, and again when they change or may have changed. */
import type { Clock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Client } from "../../client/client.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ListReads } from "../../upstream/list-reads.ts";
import { ListWatch, watchableLists } from "../../upstream/list-watch.ts";
import { KIND_ROWS, KINDS, readLists, LISTS, unpromised, type ListLimits, type ListName } from "../../upstream/listing.ts";
import type { Reading } from "../../wire/deviations.ts";
import { LATEST_HANDSHAKE_VERSION } from "../../protocol/versions.ts";
import { codecFor } from "../../wire/revisions.ts";
import { mendedSchema } from "../../wire/schema-mending.ts";
import { EMPTY_LISTING, listingOf, type Listing } from "../catalog/listing.ts";
import { MAX_PAGE } from "../catalog/pages.ts";

export interface LaneListsHost {
  readonly clock: Clock;
  readonly limits: ListLimits;
  /** One object for equal lists. */
  intern(listing: Listing): MaybePromise<Listing>;
  changed(list: ListName): void;
  report(error: unknown, method?: string): void;
}

export class LaneLists {
  /** What was read last. */
  listing: Listing = EMPTY_LISTING;
  readonly #host: LaneListsHost;
  /** Lists that the connection could not read when it opened. */
  #failed: ReadonlySet<ListName> = new Set();
  /** When they are read again; undefined while there is no connection. */
  reads: ListReads | undefined;
  #watch: ListWatch | undefined;

  constructor(host: LaneListsHost) {
    this.#host = host;
  }

  /** Reads all lists of a new connection. */
  async read(client: Client): Promise<void> {
    this.#failed = await this.#readChanged(client, undefined, new Set());
  }

  /** Reads lists, all by default, and tells which of them are other than before, or announced as changed. Resolves with those that failed. */
  async #readChanged(
    client: Client,
    lists: ReadonlySet<ListName> | undefined,
    announced: ReadonlySet<ListName>,
  ): Promise<ReadonlySet<ListName>> {
    const before = this.listing;
    const server = {
      capabilities: client.serverCapabilities,
      limits: this.#host.limits,
      maxEntry: MAX_PAGE,
      reading: client.connection.reading,
      failed: (kind: keyof typeof KIND_ROWS, error: unknown) => this.#host.report(error, KIND_ROWS[kind].method),
      request: (method: string, params: JsonObject) => this.#request(client, method, params),
    };
    const read = await readLists(server, before, lists);
    if (read.absence !== undefined) this.#host.report(read.absence);
    try {
      this.listing = await this.#host.intern(await listingOf(read.lists, read.texts));
    } catch (error) {
      this.#host.report(error); // there is no room for it: the list before stays
      return new Set(LISTS);
    }
    // What the server announces is passed on, also if its lists are as before: they may have changed and changed back.
    for (const list of new Set([...announced, ...changesBetween(before, this.listing)])) this.#host.changed(list);
    return read.failed;
  }

  async #request({ connection }: Client, method: string, params: JsonObject): Promise<JsonObject> {
    const { codec, dispatcher, identity, reading } = connection;
    const answer = await dispatcher.request(method, codec.encodeRequest(method, params, identity));
    const result = codec.decodeResult(method, answer, undefined, reading);
    if (reading.strict) return result;
    // Clients speak other revisions: members that the one of this server does not know must fit those that do.
    const read = codec.stateless ? result : codecFor(LATEST_HANDSHAKE_VERSION).tidyResult(method, result, reading);
    return method === "tools/list" ? withMendedSchemas(read, reading) : read;
  }

  /** Reads them again when they change, for as long as the connection is open. */
  watch(client: Client): void {
    const { clock } = this.#host;
    const report = (error: unknown): void => this.#host.report(error);
    const reads = new ListReads(
      {
        clock,
        unpromised: unpromised(client.serverCapabilities),
        read: (lists, announced) =>
          this.#readChanged(client, lists, announced).catch((error: unknown) => {
            report(error);
            return lists;
          }),
      },
      this.#failed,
    );
    this.reads = reads;
    const onRefused = (lists: readonly ListName[], error: unknown): void => {
      reads.unwatched(lists);
      if (error !== undefined) report(error);
    };
    this.#watch = new ListWatch((filter) => client.listen(filter), {
      lists: watchableLists(client),
      clock,
      events: { onChange: (list) => reads.changed(list), onLost: report, onRefused },
    });
  }

  async unwatch(): Promise<void> {
    this.reads?.close();
    this.reads = undefined;
    await this.#watch?.close();
  }
}

function changesBetween(before: Listing, after: Listing): ListName[] {
  return KINDS.flatMap((kind) => (before.digests[kind] === after.digests[kind] ? [] : [KIND_ROWS[kind].list]));
}

/** Tools as they are sent on: the codec looks only at the outermost level of their schemas. */
function withMendedSchemas(result: JsonObject, reading: Reading): JsonObject {
  const tools = (result["tools"] as readonly JsonObject[]).map((tool) => {
    let mended = tool;
    for (const member of SCHEMAS) {
      const before = tool[member];
      if (!isJsonObject(before)) continue;
      const after = mendedSchema(before, `result.tools[${JSON.stringify(tool["name"])}].${member}`, reading);
      if (after !== before) mended = { ...mended, [member]: after };
    }
    return mended;
  });
  return { ...result, tools };
}

const SCHEMAS = ["inputSchema", "outputSchema"];
