/**
 * The sessions of an endpoint whose nodes share stores: any node serves any request of any session.
 *
 * A node makes a `Session` of its own for each session that it serves, from what the store knows. A call runs at the node that received it;
 * what another node waits for is passed on. This file finds, opens and ends sessions, and takes the messages of other nodes.
 */
import { randomId } from "../../../base/bytes.ts";
import { andThen, type MaybePromise } from "../../../base/maybe-promise.ts";
import type { ClusterStores } from "../../../storage/shared-stores.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { coerceRequestId, isBatch, type JsonObject, type JSONRPCMessage } from "../../../jsonrpc/message.ts";
import { shareOf } from "../../../transport/transport-context.ts";
import { requestOwnerOf, type HttpRequest, type HttpResponse } from "../http-message.ts";
import { tooMany } from "../refusals.ts";
import type { Serving } from "../serving.ts";
import type { SessionDirectory, SessionTable } from "../sessions/session-table.ts";
import type { Session } from "../sessions/session.ts";
import { SessionStreams } from "../sessions/session-streams.ts";
import { ChangeLog } from "./change-log.ts";
import type { Nodes } from "./nodes.ts";
import { GetEntry } from "./get-entry.ts";
import { NodeCalls } from "../../../cluster/node-calls.ts";
import { ClusterNode, nodeOf } from "../../../cluster/node.ts";
import { SessionRecords, type KeptRecord, type SessionRecord } from "./session-records.ts";
import { NodeSession, type NewRecord } from "./node-session.ts";

/** Milliseconds for which writes to the streams of an ended session are refused. */
const ENDED_MS = 10 * 60_000;

export interface JoinOptions {
  readonly stores: ClusterStores;
  readonly server: Acceptor;
  readonly serving: Serving;
  readonly table: SessionTable;
}

/** Joins the nodes that share the stores. @throws StoreUnavailableError */
export async function joinNodes({ stores, server, serving, table }: JoinOptions): Promise<SharedSessions> {
  const { clock } = serving.settings;
  const report = (error: unknown): void => serving.report(error);
  const { keyed, bus } = stores;
  const left = new AbortController();
  const node = await ClusterNode.start({ keyed, clock, report });
  const calls: NodeCalls = new NodeCalls(
    { node, bus, keyed, clock, report },
    {
      deliver: (body) => sessions.take(body),
      resumed: (body) => sessions.resumed(body),
      changed: (body) => sessions.changed(body),
      ended: (body) => sessions.ended(body),
    },
  );
  const changes = new ChangeLog({ stores, server, clock, report, left: left.signal });
  const nodes: Nodes = {
    stores,
    server,
    serving,
    node,
    calls,
    changes,
    records: new SessionRecords(keyed, serving.settings),
    left: left.signal,
  };
  const sessions = new SharedSessions(nodes, table, () => left.abort(new Error("The node has left")));
  await calls.start();
  await changes.start();
  return sessions;
}

export class SharedSessions implements SessionDirectory {
  readonly #nodes: Nodes;
  readonly #table: SessionTable;
  readonly #onLeave: () => void;
  /** Sessions that are being restored, so that two requests make one. */
  readonly #restoring = new Map<string, Promise<Session | undefined>>();

  constructor(nodes: Nodes, table: SessionTable, onLeave: () => void) {
    this.#nodes = nodes;
    this.#table = table;
    this.#onLeave = onLeave;
  }

  // ---- what requests need ----

  find(id: string, request: HttpRequest): MaybePromise<Session | undefined> {
    return andThen(this.#existing(id), (session) => {
      if (session === undefined || session.state.owner !== requestOwnerOf(request)) return undefined;
      session.state.shared!.touch(); // every session here has it
      return session;
    });
  }

  #existing(id: string): MaybePromise<Session | undefined> {
    const session = this.#table.get(id);
    if (session === undefined) return this.#restored(id);
    return andThen(sharedOf(session).exists(), (exists) => {
      if (exists) return session;
      void session.close();
      return undefined;
    });
  }

  #restored(id: string): Promise<Session | undefined> {
    const running = this.#restoring.get(id);
    if (running !== undefined) return running;
    const restoring = this.#restore(id).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restoring);
    return restoring;
  }

  async #restore(id: string): Promise<Session | undefined> {
    const entry = await this.#nodes.records.read(id);
    if (entry === undefined) return undefined;
    const shared = new NodeSession(this.#nodes, id, { opening: entry.record, kept: entry });
    const { principal, owner = principal, facts } = entry.record;
    const session = this.#table.add({ id, principal, owner, address: undefined, shared, version: facts.version });
    session.state.confirmed = true;
    await session.resume(this.#nodes.server);
    return session;
  }

  async open(request: HttpRequest): Promise<Session | HttpResponse> {
    const { records, changes } = this.#nodes;
    const id = randomId();
    const { principal, address } = request;
    const owner = requestOwnerOf(request);
    const sets = await records.admit(id, shareOf({ principal, address }));
    if (sets === "sessions.max") return tooMany(503, sets);
    if (sets === "sessions.maxPerPrincipal") return tooMany(429, sets);
    const createdAt = await records.now();
    const opening: NewRecord = {
      ...(principal !== undefined && { principal }),
      ...(owner !== undefined && owner !== principal && { owner }),
      sets,
      createdAt,
      stream: randomId(),
      change: changes.position,
    };
    return this.#table.add({ id, principal, owner, address, shared: new NodeSession(this.#nodes, id, { opening }) });
  }

  async end(session: Session): Promise<void> {
    const { records, stores, calls } = this.#nodes;
    const { id } = session.state;
    await records.end(id, sharedOf(session).record.sets);
    await stores.events.drop(id, ENDED_MS);
    await new GetEntry(stores.keyed, id).remove();
    await calls.tellAll("ended", { session: id });
    await session.close();
  }

  // ---- what other nodes wait for ----

  passOn<Body extends Incoming>(session: Session, incoming: Body): MaybePromise<Body | undefined> {
    if (isBatch(incoming)) return this.#passOnSome(session, incoming) as Promise<Body | undefined>; // the rest of an array is an array
    return andThen(this.#passOnOne(session, incoming), (passed) => (passed ? undefined : incoming));
  }

  async #passOnSome(session: Session, batch: readonly Incoming[]): Promise<readonly Incoming[] | undefined> {
    const left: Incoming[] = [];
    for (const item of batch) if (!(await this.#passOnOne(session, item))) left.push(item);
    return left.length > 0 ? left : undefined;
  }

  /** Passes a message on if another node waits for it. Returns whether it did. */
  #passOnOne(session: Session, message: Incoming): MaybePromise<boolean> {
    if (!("jsonrpc" in message)) return false;
    const body = { session: session.state.id, message };
    if ("method" in message && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"] as string | number; // if it is another thing, no node runs it
      if (session.runs(id)) return false;
      return this.#nodes.calls.tellAll("deliver", body).then(() => true);
    }
    const node = awaitingNode(message);
    if (node === undefined || node === this.#nodes.node.number) return false;
    // A node that has ended waits for nothing: its call is lost, and the message with it.
    return this.#nodes.calls.ask(node, "deliver", body).then(() => true);
  }

  // ---- messages of other nodes ----

  /** Takes a message of a client that came to another node. */
  take({ session: id, message }: JsonObject): void {
    this.#table.get(id as string)?.deliver(message as JSONRPCMessage); // a node has parsed it
  }

  /** A client has resumed a stream at another node. */
  resumed({ session: id, stream }: JsonObject): void {
    const streams = this.#table.get(id as string)?.streams;
    if (streams instanceof SessionStreams) streams.release(stream as string);
  }

  /** Another node has changed what is known of a session. */
  changed({ session: id, record, version }: JsonObject): void {
    const session = this.#table.get(id as string);
    const entry: KeptRecord = { record: record as SessionRecord, version: version as string };
    if (session !== undefined) sharedOf(session).changed(entry);
  }

  /** A client has ended a session at another node. */
  ended({ session: id }: JsonObject): void {
    void this.#table.get(id as string)?.close();
  }

  /** See {@link ClusterNode.isAwake}. */
  get isAwake(): boolean {
    return this.#nodes.node.isAwake;
  }

  // ---- the end ----

  /** Leaves the nodes. Others take over at once. */
  async leave(): Promise<void> {
    const { calls, changes, node } = this.#nodes;
    this.#onLeave();
    calls.stop();
    changes.stop();
    await node.stop();
  }
}

function sharedOf(session: Session): NodeSession {
  return session.state.shared as NodeSession; // every session of the table was made here
}

/** The node that waits for a response or for progress; undefined if the id is not one of a node. */
function awaitingNode(message: JSONRPCMessage): number | undefined {
  const id = "method" in message ? progressToken(message.method, message.params) : message.id;
  const number: unknown = id === null ? undefined : coerceRequestId(id);
  return typeof number === "number" ? nodeOf(number) : undefined;
}

function progressToken(method: string, params: JsonObject | undefined): unknown {
  return method === "notifications/progress" ? params?.["progressToken"] : undefined;
}
