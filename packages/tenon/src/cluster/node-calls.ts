/**
 * Messages between nodes: to one node, which acknowledges, or to all.
 *
 * The bus may lose messages, so a message to one node is sent again until the node acknowledges it or its lease is gone. The receiver
 * remembers the ids of messages, so a repeat does nothing.
 */
import { BoundedMap } from "../base/bounds/bounded-map.ts";
import { sleep } from "../base/clock.ts";
import { randomId } from "../base/bytes.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Bus } from "../storage/bus.ts";
import { DamagedEntryError, parseStored } from "../storage/damaged-entry.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ClusterNode, NodeOptions } from "./node.ts";

/** Milliseconds between two attempts. */
const REPEAT_MS = 250;
const MAX_ATTEMPTS = 12;
const MAX_SEEN = 1_000;
/** Milliseconds for which a body that is too long for the bus is kept in the store. */
const BODY_MS = 30_000;

/** Takes a message. If nodes ask, it returns whether the message concerned this node. */
export type TakeMessage = (body: JsonObject) => MaybePromise<boolean | void>;

/** What one node sends another. With `from` that node waits for an acknowledgement. */
interface Message {
  readonly id: string;
  readonly kind: string;
  readonly from?: number;
  readonly body?: JsonObject;
  /** Whether the body is in the store, under the id. */
  readonly stored?: true;
}

/**
 * The stores failed after a message was sent to another node, which may have taken it. JSON-RPC -32603 with `data.reason` `storeUnavailable` and
 * `delivery` `unknown`, also if the command that failed was not sent.
 */
export class MaybeSentError extends McpError {
  override name = "MaybeSentError";

  constructor(cause: unknown) {
    const data = { reason: "storeUnavailable", delivery: "unknown", retryAfterMs: 1_000 };
    super(ErrorCode.InternalError, "The store is not available", data, { cause });
  }
}

export interface NodeCallsOptions extends NodeOptions {
  readonly node: ClusterNode;
  readonly bus: Bus;
}

export class NodeCalls {
  readonly #options: NodeCallsOptions;
  readonly #takers: Readonly<Record<string, TakeMessage>>;
  /** What waits for an acknowledgement. */
  readonly #asked = new Map<string, (taken: boolean) => void>();
  /** Outcomes of messages that were taken, the oldest first. */
  readonly #seen = new BoundedMap<string, MaybePromise<boolean>>(MAX_SEEN);
  readonly #stops: (() => void)[] = [];
  readonly #ended = new AbortController();

  /** @param takers what takes each kind of message */
  constructor(options: NodeCallsOptions, takers: Readonly<Record<string, TakeMessage>>) {
    this.#options = options;
    this.#takers = takers;
  }

  /** Resolves when messages of other nodes arrive. */
  async start(): Promise<void> {
    const { bus, node } = this.#options;
    for (const topic of ["all", topicOf(node.number)]) {
      this.#stops.push(await bus.subscribe(topic, (text) => void this.#receive(text).catch(this.#options.report)));
    }
  }

  /** Sends a message to all nodes, this one included. It may be lost. @throws StoreUnavailableError */
  async tellAll(kind: string, body: JsonObject): Promise<void> {
    await this.#publish("all", { id: randomId(), kind, body });
  }

  /** Sends a message to one node. It may be lost. @throws StoreUnavailableError */
  async tell(node: number, kind: string, body: JsonObject): Promise<void> {
    await this.#publish(topicOf(node), { id: randomId(), kind, body });
  }

  /**
   * Sends a message to one node until it is acknowledged. False if it did not concern the node, or the node has ended.
   * @throws (rejects) StoreUnavailableError if the first attempt failed; MaybeSentError if a later one did
   */
  async ask(to: number, kind: string, body: JsonObject): Promise<boolean> {
    const { node, clock } = this.#options;
    const message = { id: randomId(), kind, from: node.number, body };
    const taken = new Promise<boolean>((resolve) => this.#asked.set(message.id, resolve));
    let isSent = false;
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        await this.#publish(topicOf(to), message);
        isSent = true;
        const waited = sleep(clock, REPEAT_MS, this.#ended.signal).then(() => undefined);
        const outcome = await Promise.race([taken, waited]);
        if (outcome !== undefined) return outcome;
        if (!(await node.isAlive(to))) return false;
      }
      return false;
    } catch (error) {
      throw isSent ? new MaybeSentError(error) : error;
    } finally {
      this.#asked.delete(message.id);
    }
  }

  async #publish(topic: string, message: Message): Promise<void> {
    const { bus, keyed } = this.#options;
    const text = JSON.stringify(message);
    // A character has at most three bytes in UTF-8.
    if (text.length * 3 <= bus.maxMessage) return bus.publish(topic, text);
    const { body, ...head } = message;
    await keyed.swap(bodyOf(message.id), undefined, { value: JSON.stringify(body), ms: BODY_MS });
    await bus.publish(topic, JSON.stringify({ ...head, stored: true }));
  }

  async #receive(text: string): Promise<void> {
    const message = messageIn(text);
    if (message.kind === "taken") return this.#asked.get(message.id)?.(message.body?.["taken"] === true);
    const taken = await this.#take(message);
    if (message.from === undefined) return;
    await this.#publish(topicOf(message.from), { id: message.id, kind: "taken", body: { taken } });
  }

  #take(message: Message): MaybePromise<boolean> {
    const before = this.#seen.get(message.id);
    if (before !== undefined) return before;
    const outcome = this.#run(message);
    this.#seen.set(message.id, outcome);
    outcome.catch(() => this.#seen.delete(message.id)); // a store that was away: a repeat tries again
    return outcome;
  }

  async #run({ id, kind, body, stored }: Message): Promise<boolean> {
    const value: unknown = stored
      ? parseStored("The body of a message", (await this.#options.keyed.read(bodyOf(id)))?.value ?? "null")
      : body;
    const take = this.#takers[kind];
    return isJsonObject(value) && (await take?.(value)) === true;
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#ended.abort(new Error("The node has ended"));
  }
}

/** @throws DamagedEntryError if it is not one of a node */
function messageIn(text: string): Message {
  const what = "A message of another node";
  const message = parseStored(what, text);
  if (!isJsonObject(message) || typeof message["id"] !== "string" || typeof message["kind"] !== "string")
    throw new DamagedEntryError(what, "has no id or kind");
  return message as object as Message; // checked above
}

function topicOf(node: number): string {
  return `n.${node}`;
}

function bodyOf(id: string): string {
  return `message ${id}`;
}
