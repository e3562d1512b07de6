/**
 * The front: what clients are connected to. It keeps their connections while generations come and go, and never runs the author's code.
 *
 * For the edges of stdio and HTTP it is a server like any other.
 */
import type { Acceptor, Dispatcher, JsonObject } from "tenon";
import { ErrorCode, McpError } from "tenon/client";
import { isJsonObject, type HttpRules, type Requirements } from "tenon/internal";
import type { Loaded } from "../channel.ts";
import type { Difference } from "../page/difference.ts";
import type { Traffic } from "./client-tap.ts";
import { Drains } from "./drains.ts";
import type { Generation } from "./generation-process.ts";
import { within } from "./handover.ts";
import { HostConnection, type Generations } from "./host-connection.ts";
import { OpenListens } from "./open-listens.ts";

/** Milliseconds that a request waits for a file that does not run. */
const WAIT_MS = 10_000;
/** Milliseconds that a request waits for the first version, whose file has not failed yet. It is longer than a file may load. */
const FIRST_WAIT_MS = 30_000;

interface Current {
  readonly generation: Generation;
  readonly loaded: Loaded;
}

export class Front implements Acceptor, Generations {
  readonly listens: OpenListens = new OpenListens();
  /** Where the page shows the messages of clients; undefined if there is no page. */
  traffic: Traffic | undefined;
  readonly #connections = new Set<HostConnection>();
  readonly #waiting = new Set<(current: Current) => void>();
  readonly #drains: Drains;
  /** Headers repeat arguments of a tool. The generation checks everything else. */
  readonly http: HttpRules;
  #current: Current | undefined;
  /** Why the newest version does not run. */
  #failure: string | undefined;

  /** @param drain milliseconds that calls in an old generation may take */
  constructor(drain: number) {
    this.#drains = new Drains(drain, (generation) => {
      for (const connection of this.#connections) connection.leave(generation);
    });
    const loaded = (): Loaded | undefined => this.#current?.loaded;
    this.http = {
      get headerNames() {
        return loaded()?.headerNames;
      },
      requirementsOf: (method, params) => (method === "tools/call" ? mirroredBy(loaded(), params) : undefined),
    };
  }

  // ---- as the edges see it ----

  /** @param isShown whether the page shows the messages. Default true; false for the page's own */
  async accept(dispatcher: Dispatcher, isShown = true): Promise<void> {
    const connection = new HostConnection(dispatcher, this, isShown);
    this.#connections.add(connection);
    try {
      await connection.run();
    } finally {
      this.#connections.delete(connection);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#drains.endAll(), this.#current?.generation.end("The server is shutting down")]);
  }

  // ---- its generations ----

  async current(): Promise<Generation> {
    if (this.#current !== undefined && !this.#current.generation.hasEnded) return this.#current.generation;
    let timer: NodeJS.Timeout | undefined;
    let take: ((current: Current) => void) | undefined;
    const next = await new Promise<Current | undefined>((resolve) => {
      this.#waiting.add((take = resolve));
      timer = setTimeout(resolve, this.#failure === undefined ? FIRST_WAIT_MS : WAIT_MS, undefined);
    });
    clearTimeout(timer);
    this.#waiting.delete(take!);
    if (next !== undefined) return next.generation;
    const why = this.#failure?.split("\n", 1)[0] ?? "it has not been loaded yet";
    throw new McpError(ErrorCode.InternalError, `The server does not run: ${why}`, { reason: "not running" });
  }

  isCurrent(generation: Generation): boolean {
    return this.#current?.generation === generation;
  }

  get definition(): Loaded["definition"] | undefined {
    return this.#current?.loaded.definition;
  }

  /** Sends new requests to `generation` from now on, and lets the one before end. Tells clients what has changed. */
  async replace(generation: Generation, loaded: Loaded, difference: Difference): Promise<void> {
    const before = this.#current;
    await Promise.all([...this.#connections].map((connection) => handedOver(connection, generation)));
    this.#current = { generation, loaded };
    const moved = this.listens.moveTo(generation);
    for (const take of this.#waiting) take(this.#current);
    await within(moved);
    generation.announce(difference.lists, difference.resources);
    if (before) this.#drains.add(before.generation);
  }

  /** Tells clients that take log messages that the newest version does not run. */
  failed(message: string): void {
    this.#failure = message;
    for (const connection of this.#connections) connection.log("error", message);
  }

  get isServing(): boolean {
    return this.#current !== undefined && !this.#current.generation.hasEnded;
  }
}

/** A client whose handshake the new code refuses, or does not respond to, is handed over at its next request. */
function handedOver(connection: HostConnection, generation: Generation): Promise<void> {
  return within(
    connection.upstreamIn(generation).then(
      () => undefined,
      () => connection.leave(generation),
    ),
  );
}

/** The schema that says which arguments of a call headers repeat. */
function mirroredBy(loaded: Loaded | undefined, { name }: JsonObject): Requirements | undefined {
  const tool = loaded?.definition.tools.find((one) => one.name === name);
  return tool && isJsonObject(tool.inputSchema) ? { scopes: [], inputSchema: tool.inputSchema } : undefined;
}
