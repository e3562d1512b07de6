/**
 * The handlers of a layer above a server: a package that offers an API of its own, such as the API of another SDK, and serves it here.
 *
 * They are innermost, inside all middleware, rules of visibility and scopes, and stand beside what is registered on the server.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";
import type { Handler } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";

/** What a layer above a server serves. */
export interface EmbeddedHandlers {
  /** Its capabilities. They may change until the first connection. */
  readonly capabilities: ServerCapabilities;
  has(method: string): boolean;
  /**
   * Handles a request of any method; `next` runs what is registered on the server. It sets `context.isResultChecked` if the result needs
   * no further check.
   */
  handle(context: RequestContext, next: Handler<RequestContext>): MaybePromise<JsonObject>;
  /** Called with each notification of a client, except cancellation and progress. */
  notified(method: string, params: JsonObject | undefined): void;
}

/** The capabilities of a server and of the layer above it: what one of them has, both have. */
export function withLayer(own: ServerCapabilities, layer: ServerCapabilities): ServerCapabilities {
  const merged: JsonObject = { ...own };
  for (const [name, value] of Object.entries(layer)) merged[name] = { ...(merged[name] as JsonObject | undefined), ...value }; // capabilities are objects
  return merged;
}
