/** What the requests of one POST require before any of them runs, and the context of a stateless request. */
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { MalformedMessage, type Incoming } from "../../../jsonrpc/incoming.ts";
import { isBatch, isRequest, type JsonObject } from "../../../jsonrpc/message.ts";
import type { RequestPolicy, Requirements, TransportContext } from "../../../transport/transport-context.ts";
import { UNAUTHENTICATED } from "../caller.ts";
import type { HttpRequest } from "../http-message.ts";
import { argumentMismatch } from "./mirrored-headers.ts";

const NO_PARAMS: JsonObject = {};

/**
 * The requirements of a message. A batch requires what all its requests require, and is accepted or refused as a whole: otherwise some of
 * its requests would run again when the client repeats it.
 */
export function requirementsOf(server: Acceptor, incoming: Incoming): Requirements | undefined {
  if (isBatch(incoming)) return { scopes: incoming.flatMap((one) => requirementsOf(server, one)?.scopes ?? []) };
  if (incoming instanceof MalformedMessage || !isRequest(incoming)) return undefined;
  return server.requirementsOf?.(incoming.method, incoming.params ?? NO_PARAMS);
}

/** What the handler of a stateless request sees of HTTP: the headers, the client and the policy. */
export class StatelessContext implements TransportContext, RequestPolicy {
  readonly kind = "http";
  readonly #request: HttpRequest;
  readonly #params: JsonObject | undefined;

  /** @param params as the client sent them */
  constructor(request: HttpRequest, params: JsonObject | undefined) {
    this.#request = request;
    this.#params = params;
  }

  header(name: string): string | undefined {
    return this.#request.header(name);
  }

  get auth(): AuthInfo | undefined {
    return this.#request.caller?.auth;
  }

  get principal(): string | undefined {
    return this.#request.principal;
  }

  get address(): string | undefined {
    return this.#request.address;
  }

  get policy(): this {
    return this;
  }

  check(required: Requirements): void {
    if (required.scopes.length > 0) (this.#request.caller ?? UNAUTHENTICATED.policy).check(required);
    const fault = required.inputSchema && argumentMismatch(this.#request, required.inputSchema, this.#params?.["arguments"]);
    if (fault !== undefined) throw fault;
  }
}
