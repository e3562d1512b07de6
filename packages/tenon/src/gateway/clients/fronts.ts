/**
 * All connections of clients: who calls on them, and how they hear that lists have changed.
 *
 * `front.ts` is one connection. `Gateway` adds and removes them.
 */
import type { Dispatcher } from "../../dispatch/dispatcher.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import type { ClientCapabilities, Implementation } from "../../protocol/capabilities.ts";
import { Connection } from "../../session/connection.ts";
import { readClient } from "../../session/connection-reading.ts";
import type { Deviation } from "../../wire/deviations.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { callerOf, type Caller } from "./caller.ts";
import { Front } from "./front.ts";
import { LISTS } from "../../upstream/listing.ts";
import type { Settings } from "../settings.ts";
import { Profiles } from "./profile.ts";
import type { OnLane } from "../catalog/caller-lists.ts";
import type { TaskHandles } from "../tasks/task-handles.ts";

/** An open `listen` stream of a client without a session. */
interface OpenStream {
  readonly principal: string | undefined;
  /** Ends it in order. */
  end(): void;
  /** Tells the client that all lists may have changed, and follows the servers that are new. */
  refresh(): void;
}

export class Fronts {
  readonly streams: Set<OpenStream> = new Set();
  readonly #settings: Settings;
  readonly #handles: TaskHandles;
  readonly #profiles = new Profiles();
  readonly #fronts = new Map<Connection, Front>();

  constructor(settings: Settings, handles: TaskHandles) {
    this.#settings = settings;
    this.#handles = handles;
  }

  add(dispatcher: Dispatcher): Front {
    const { clock, strict, onDeviation } = this.#settings;
    const connection = new Connection(dispatcher);
    const tell = onDeviation && ((deviation: Deviation, client?: Implementation) => onDeviation(deviation, { ...(client && { client }) }));
    readClient(connection, { strict, onDeviation: tell }, (error) => this.#settings.report(error, { method: "deviation" }));
    const front = new Front(connection, clock, this.#handles);
    this.#fronts.set(front.connection, front);
    return front;
  }

  /** Frees what a connection used, because it has ended. */
  remove(front: Front): void {
    this.#fronts.delete(front.connection);
    front.close();
    front.connection.end();
  }

  /** @throws ConnectionClosedError if the connection of a request has ended, while middleware held the request */
  of(context: RequestContext): Front {
    const front = this.#fronts.get(context.connection);
    if (front === undefined) throw new ConnectionClosedError("The connection of the request has ended");
    return front;
  }

  /** The caller of a request. Its connection has the principal of that request from then on. */
  caller(context: RequestContext): Caller {
    const front = this.of(context);
    front.principal = context.principal;
    return callerOf(context, front, { profiles: this.#profiles, localLogins: this.#settings.localLogins });
  }

  /** The user of this machine, with a client that can answer nothing: for connections that no request has asked for. */
  localCaller(): Caller {
    const profile = this.#profiles.of({}, true);
    const unnamed = { principal: undefined, auth: undefined, session: undefined, holder: undefined };
    return { ...unnamed, isLocal: true, isUser: true, isStdio: false, profile };
  }

  callerWith(declared: ClientCapabilities, context: RequestContext): Caller {
    return { ...this.caller(context), profile: this.#profiles.of(declared, context.codec.stateless) };
  }

  /** Makes a session hear of the lanes that it sees. */
  joiner(context: RequestContext): OnLane {
    if (context.codec.stateless) return () => undefined;
    const front = this.of(context);
    return (lane, late) => {
      front.join(lane);
      if (late) for (const list of LISTS) front.listChanged(list);
    };
  }

  /** Tells all clients that lists have changed. */
  listsChanged(): void {
    this.#tell(() => true);
  }

  /** Tells the connections of one principal that its lists have changed, because it has logged in or out at a server. */
  listsChangedFor(principal: string | undefined): void {
    this.#tell((one) => one.principal === principal);
  }

  #tell(hears: (one: Front | OpenStream) => boolean): void {
    for (const front of this.#fronts.values()) if (hears(front)) for (const list of LISTS) front.listChanged(list);
    for (const stream of this.streams) if (hears(stream)) stream.refresh();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#fronts.keys()].map(({ dispatcher }) => dispatcher.close()));
  }
}
