/** The lists of a server as one lane reads them: at each connection, and when the server announces a change. */
import type { Clock } from "../../base/clock.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { skippingMalformedItems } from "../../client/call/malformed-items.ts";
import type { Client } from "../../client/client.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { EMPTY_LISTING, readListing, type Listing, type ListName } from "../catalog/listing.ts";
import { ListWatch } from "./list-watch.ts";

/** What the lists need of their lane. */
export interface LaneListsHost {
  readonly clock: Clock;
  /** One object for equal lists. */
  intern(listing: Listing): MaybePromise<Listing>;
  /** Called for each list that has changed. */
  changed(list: ListName): void;
  report(error: unknown, method?: string): void;
}

export class LaneLists {
  /** What was read last. */
  listing: Listing = EMPTY_LISTING;
  readonly #host: LaneListsHost;
  #watch: ListWatch | undefined;

  constructor(host: LaneListsHost) {
    this.#host = host;
  }

  /** Reads the lists, and tells which of them are other than before, or announced as changed. */
  async read(client: Client, announced?: ReadonlySet<ListName>): Promise<void> {
    const before = this.listing;
    const server = {
      capabilities: client.serverCapabilities,
      report: (error: unknown) => this.#host.report(error),
      request: (method: string, params: JsonObject) => this.#request(client, method, params),
    };
    this.listing = await this.#host.intern(await readListing(server, before, announced));
    // What the server announces is passed on, also if its lists are as before: they may have changed and changed back.
    for (const list of announced ?? changesBetween(before, this.listing)) this.#host.changed(list);
  }

  async #request({ connection }: Client, method: string, params: JsonObject): Promise<JsonObject> {
    const { codec, dispatcher, identity } = connection;
    const raw = await dispatcher.request(method, codec.encodeRequest(method, params, identity));
    const decode = skippingMalformedItems(
      method,
      (result) => codec.decodeResult(method, result),
      (error) => this.#host.report(error, method),
    );
    return decode(raw);
  }

  /** Reads them again when they change, for as long as the connection is open. */
  watch(client: Client): void {
    this.#watch = new ListWatch(client, {
      clock: this.#host.clock,
      changed: (lists) => this.read(client, lists),
      report: (error) => this.#host.report(error),
    });
  }

  /** Ends the watch. */
  async unwatch(): Promise<void> {
    await this.#watch?.close();
  }
}

function changesBetween(before: Listing, after: Listing): ListName[] {
  if (after === before) return [];
  const changed: ListName[] = [];
  if (differs(before.tool, after.tool)) changed.push("tools");
  if (differs(before.prompt, after.prompt)) changed.push("prompts");
  if (differs(before.resource, after.resource) || differs(before.template, after.template)) changed.push("resources");
  return changed;
}

function differs(one: readonly JsonObject[], other: readonly JsonObject[]): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
