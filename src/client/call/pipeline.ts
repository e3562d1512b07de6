/** The way out of a client: middleware, the rounds of a call that asks back, the codec, the dispatcher, and back again. */
import { isPromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestMeta } from "../../protocol/base.ts";
import type { Handler, Middleware } from "../../session/handler.ts";
import type { ClientLink } from "../connection.ts";
import type { ClientSessionOptions } from "../options.ts";
import type { CallOptions, OutgoingRequest } from "./outgoing-request.ts";

type ClientHandler = Handler<OutgoingRequest>;

export class Outgoing {
  readonly #link: ClientLink;
  /** Outermost: every round goes through the middleware. */
  readonly #rounds: Middleware<OutgoingRequest>;
  readonly #salvage: ClientSessionOptions["salvage"];
  #handler: ClientHandler;

  constructor(link: ClientLink, rounds: Middleware<OutgoingRequest>, { salvage }: ClientSessionOptions) {
    this.#link = link;
    this.#salvage = salvage;
    this.#rounds = rounds;
    this.#handler = rounds(link.around(this.#send));
  }

  use(middleware: Middleware<OutgoingRequest>): void {
    this.#link.use(middleware);
    this.compose();
  }

  /** Extensions are outermost of all. */
  compose(): void {
    const handler = this.#rounds(this.#link.around(this.#send));
    this.#handler = this.#link.extensions?.middleware(handler) ?? handler;
  }

  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { meta } = options;
    const body = meta === undefined ? params : { ...params, _meta: { ...(params["_meta"] as RequestMeta | undefined), ...meta } };
    try {
      const result = this.#handler(this.#link.outgoing(method, body, options));
      return isPromise(result) ? result : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Innermost handler: onto the wire and back. */
  readonly #send: ClientHandler = ({ method, params, options }) => {
    const { codec, dispatcher, identity, heldUntil, extensions } = this.#link;
    // A server that waits for its user is not slow.
    const { elicitation, sampling } = identity.capabilities;
    const patient = codec.stateless || (elicitation ?? sampling) === undefined ? options : { ...options, heldUntil };
    const salvage = this.#salvage;
    const decode = (result: JsonObject): JsonObject => codec.decodeResult(method, result, extensions?.resultTypes(method));
    const read = salvage ? (result: JsonObject): JsonObject => salvage(method, result, decode) : decode;
    return dispatcher.request(method, codec.encodeRequest(method, params, identity), patient).then(read);
  };
}
