/** What a handler sees of the HTTP request that it answers, on the stateless revisions: its headers and its caller. */
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import type { TransportContext } from "../../../dispatch/dispatcher.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { NOBODY } from "../caller.ts";
import { argumentMismatch } from "../endpoint/mirrored-headers.ts";
import type { HttpRequest } from "../http-message.ts";

export class StatelessContext implements TransportContext {
  readonly kind = "http";
  readonly #request: HttpRequest;

  constructor(request: HttpRequest) {
    this.#request = request;
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

  requireScopes(scopes: readonly string[], method: string, params: JsonObject): void {
    (this.#request.caller ?? NOBODY).requireScopes?.(scopes, method, params);
  }

  checkArguments(inputSchema: JsonObject, args: unknown): void {
    const fault = argumentMismatch(this.#request, inputSchema, args);
    if (fault !== undefined) throw fault;
  }
}
