/**
 * One server behind the gateway: its connections (`lanes.ts`), its lists, and what it says of itself. `connector.ts` opens the connections.
 */
import { prefixOf } from "../../base/text/naming.ts";
import type { Clock } from "../../base/clock.ts";
import type { OutgoingRequest } from "../../client/call/outgoing-request.ts";
import type { Client } from "../../client/client.ts";
import type { Caller } from "../clients/caller.ts";
import type { LoginWays } from "../credentials/caller-auth.ts";
import { isSameEntry, splitAuth, type GatewayEntry } from "../credentials/entry.ts";
import { Connector } from "./connector.ts";
import type { Lane, LaneHost } from "./lane.ts";
import { isProgram } from "./lane-keys.ts";
import { Lanes } from "./lanes.ts";
import { ServerLists } from "./server-lists.ts";
import { wordsOf, type Words } from "./words.ts";
import type { Listing } from "../catalog/listing.ts";
import { listingBeforeLogin } from "../login/login-tool.ts";
import type { Settings } from "../settings.ts";
import type { Middleware } from "../../session/handler.ts";
import { schemeOf } from "../../session/uris.ts";
import type { ListLimits } from "../../upstream/listing.ts";

/** One server behind a gateway, in its present state. */
export interface UpstreamStatus {
  /** Its name in the configuration. */
  readonly server: string;
  /** Connections that are open. */
  readonly connections: number;
  /** Requests that wait for a connection, or for the server's result. */
  readonly waiting: number;
  /** Connections that were lost since the server was added: a program that ended, a session that expired. */
  readonly restarts: number;
  /** Log messages of the server that were dropped, because they may concern another caller than those they could go to. */
  readonly droppedMessages: number;
}

export class Upstream implements LaneHost {
  readonly name: string;
  readonly prefix: string;
  readonly scheme: string;
  readonly clock: Clock;
  /** Milliseconds after which an unused connection is closed. */
  readonly idleTimeout: number;
  readonly limits: ListLimits;
  readonly middleware: readonly Middleware<OutgoingRequest>[];
  /** How users log in; undefined if they do not. */
  readonly login: LoginWays | undefined;
  readonly lanes: Lanes;
  readonly lists: ServerLists;
  readonly #settings: Settings;
  readonly #entry: GatewayEntry;
  #losses = 0;
  #dropped = 0;
  #loginListing: Listing | undefined;
  /** What the server said last of itself to a client that told it no text of its own; undefined if the credentials differ by caller. */
  #words: Words | undefined;
  readonly #connector: Connector;

  /** @throws TypeError if the entry is not one of a server */
  constructor(name: string, given: GatewayEntry, settings: Settings) {
    const split = splitAuth(name, given);
    const { callerAuth } = split;
    this.name = name;
    this.prefix = settings.prefixOf(name);
    this.scheme = schemeOf(prefixOf(name));
    this.clock = settings.clock;
    this.idleTimeout = settings.idleTimeout;
    this.limits = settings.limits;
    this.#settings = settings;
    this.#entry = given;
    this.login = callerAuth?.login;
    this.lanes = new Lanes(this, settings, { isProgram: isProgram(split.entry), callerAuth });
    this.lists = new ServerLists(name, settings, split, () => this.lanes.all);
    this.#connector = new Connector(this, settings, split);
    this.middleware = this.#connector.middleware;
  }

  /** Whether an entry describes this server, so that its connections can stay. */
  isOf(entry: GatewayEntry): boolean {
    return this.#entry === entry || isSameEntry(this.#entry, entry);
  }

  get status(): UpstreamStatus {
    const lanes = this.lanes.all;
    return {
      server: this.name,
      connections: lanes.filter(({ isOpen }) => isOpen).length,
      waiting: lanes.reduce((sum, { lifetime }) => sum + lifetime.running, 0),
      restarts: this.#losses,
      droppedMessages: this.#dropped,
    };
  }

  lost(): void {
    this.#losses++;
  }

  /** Counts a log message that was dropped. */
  dropped(): void {
    this.#dropped++;
  }

  // ---- what a caller learns of it ----

  /** What the server says of itself to a caller: on the caller's connection, else to all who have the same credentials. */
  wordsFor(caller: Caller): Words | undefined {
    const lane = this.lanes.ifOpen(caller);
    const words = lane?.words ?? this.#words;
    const { pins } = this.#settings;
    if (words?.instructions === undefined || pins === undefined || pins.maySay(words, lane?.owner?.principal)) return words;
    return { ...words, instructions: undefined };
  }

  listingFor(caller: Caller): Listing | undefined {
    return this.lanes.ifOpen(caller)?.listing ?? this.lists.newest;
  }

  // ---- logins of users ----

  /** What a caller sees before the login: a tool that asks for it. */
  get loginListing(): Listing {
    return (this.#loginListing ??= listingBeforeLogin(this.name));
  }

  /** The login of a principal has changed. Its connections are closed if it has ended. */
  async loginChanged(principal: string, isOver: boolean): Promise<void> {
    this.#connector.loginChanged(principal);
    const lanes = this.lanes.all.filter(({ owner }) => owner?.principal === principal);
    if (isOver) await Promise.all(lanes.map((lane) => lane.close()));
  }

  // ---- connections ----

  connect(lane: Lane, signal: AbortSignal): Promise<Client> {
    return this.#connector.connect(lane, signal);
  }

  /**
   * Learns what the server shows with a new connection of a lane. @throws Error if it has sessions and had none before, or the reverse;
   * LimitExceededError if it says too much of itself. The connection is closed then
   */
  async accept(client: Client, lane: Lane): Promise<void> {
    try {
      await this.#learn(client, lane);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  async #learn(client: Client, lane: Lane): Promise<void> {
    const words = wordsOf(client);
    this.lists.assertRoom(words.size);
    await this.#settings.pins?.learnWords(this.name, words, lane.owner?.principal);
    const isSame = lane.learn(client, words);
    this.lanes.learn(lane, client.connection.codec.stateless);
    // The settings of a client's extensions are text that a server may repeat.
    if (isSame && this.lists.isOne && lane.profile.capabilities.extensions === undefined) this.#words = lane.words;
    if (isSame) return;
    void lane.close(); // it waits for the connection that is given up here
    throw new Error("it speaks another revision than before");
  }

  report(error: unknown, method?: string): void {
    this.#settings.report(error, { server: this.name, ...(method !== undefined && { method }) });
  }

  closed(lane: Lane, ended: Promise<unknown>): void {
    this.lanes.closed(lane, ended);
  }

  close(): Promise<void> {
    this.lists.close();
    return this.lanes.close();
  }
}
