/**
 * A client that is nothing but the test: it sends what it likes and reads every message the server writes.
 *
 * For what a well-behaved client never does, and for looking at the wire itself.
 */
import { onTestFinished } from "vitest";
import {
  acceptorOf,
  JsonRpcDispatcher,
  type Servable,
  type JsonObject,
  type JsonRpcDispatcherOptions,
  type ProtocolVersion,
} from "tenon";
import { ScriptedTransport } from "./scripted-transport.ts";
import { turn } from "./virtual-clock.ts";

// What a server loads with the first question is there from the beginning, so that one turn is enough for every answer.
await import("../../src/session/asking/rounds/round-engine.ts");

/** `_meta` of a stateless request. */
export const STATELESS_META: JsonObject = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

export class RawClient {
  readonly #transport = new ScriptedTransport();
  /** Settles as `accept` does. */
  readonly served: Promise<void>;

  constructor(server: Servable, options?: JsonRpcDispatcherOptions) {
    const dispatcher = new JsonRpcDispatcher(this.#transport, options);
    this.served = acceptorOf(server).accept(dispatcher);
    this.served.catch(() => dispatcher.close());
    onTestFinished(() => dispatcher.close());
  }

  /** Sends values or texts one after the other and returns what the server has written once nothing more is to be done. */
  async send(...messages: (object | string)[]): Promise<JsonObject[]> {
    for (const message of messages) this.#transport.push(message);
    await turn();
    return this.#transport.take();
  }

  /** Sends one request and returns its answer, which must be all the server writes. */
  async request(method: string, params?: JsonObject, id: string | number = 1): Promise<JsonObject> {
    const written = await this.send({ jsonrpc: "2.0", id, method, ...(params && { params }) });
    if (written.length !== 1) throw new Error(`Expected one answer to "${method}", got ${JSON.stringify(written)}`);
    return written[0]!;
  }

  /** The same on a stateless revision. */
  ask(method: string, params: JsonObject = {}, id: string | number = 1): Promise<JsonObject> {
    return this.request(method, { ...params, _meta: { ...STATELESS_META, ...(params["_meta"] as JsonObject | undefined) } }, id);
  }

  /** Opens the connection as a well-behaved client of that revision would. */
  async initialize(protocolVersion: ProtocolVersion, capabilities: JsonObject = {}): Promise<JsonObject> {
    const answer = await this.request(
      "initialize",
      { protocolVersion, capabilities, clientInfo: { name: "raw", version: "0" } },
      "init",
    );
    await this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  /** The client closes its side. */
  end(): void {
    this.#transport.end();
  }
}
