/** What the requests of one POST require before any of them runs, and the context of a stateless request. */
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import type { HttpRules } from "../../../dispatch/acceptor.ts";
import { MalformedMessage, type Incoming } from "../../../jsonrpc/incoming.ts";
import { isBatch, isRequest, type JsonObject } from "../../../jsonrpc/message.ts";
import type { RequirementCheck, Requirements, TransportContext } from "../../../transport/transport-context.ts";
import { UNAUTHENTICATED } from "../authorized-client.ts";
import type { HttpRequest } from "../http-message.ts";
import { argumentMismatch } from "./mirrored-headers.ts";

const NO_PARAMS: JsonObject = {};

/**
 * The requirements of a message. A batch requires what all its requests require, and is accepted or refused as a whole: otherwise some of
 * its requests would run again when the client repeats it.
 */
export function requirementsOfBody(rules: HttpRules | undefined, incoming: Incoming): Requirements | undefined {
  if (isBatch(incoming)) return { scopes: incoming.flatMap((one) => requirementsOfBody(rules, one)?.scopes ?? []) };
  if (incoming instanceof MalformedMessage || !isRequest(incoming)) return undefined;
  return rules?.requirementsOf?.(incoming.method, incoming.params ?? NO_PARAMS);
}

/** What the handler of a stateless request sees of HTTP: the headers, the client and the requirements. */
export class StatelessContext implements TransportContext, RequirementCheck {
  readonly kind = "http";
  readonly #request: HttpRequest;
  readonly #params: JsonObject | undefined;
  readonly #met: Requirements | undefined;

  /** @param params as the client sent them @param met the requirements that the request was found to meet */
  constructor(request: HttpRequest, params: JsonObject | undefined, met: Requirements | undefined) {
    this.#request = request;
    this.#params = params;
    this.#met = met;
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

  get requirements(): this {
    return this;
  }

  check(required: Requirements): void {
    if (required.scopes.length > 0) (this.#request.caller ?? UNAUTHENTICATED.requirements).check(required);
    const { inputSchema } = required;
    if (inputSchema === undefined || inputSchema === this.#met?.inputSchema) return;
    const fault = argumentMismatch(this.#request, inputSchema, this.#params?.["arguments"]);
    if (fault !== undefined) throw fault;
  }
}
