/**
 * The errors that carry protocol data. `error-revival.ts` rebuilds each as an instance of its class when it arrives, so
 * `instanceof` works in clients and servers.
 *
 * Codes are neutral here; the codec of a revision chooses the code on the wire.
 */
import { isJsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, NoBackChannelError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { ClientCapabilities } from "./capabilities.ts";
import type { ElicitRequestURLParams } from "./elicitation.ts";

/** A page that the user has to visit. `mode` is always `"url"`. */
type UrlElicitation = Omit<ElicitRequestURLParams, "mode"> & Partial<Pick<ElicitRequestURLParams, "mode">>;

/**
 * The request can be served once the user has visited these pages (-32042, 2025-11-25 only). In a handler use `ctx.elicitUrl`, which works on
 * every revision that has pages; throw this only if the call must not wait for the visit.
 */
export class UrlElicitationRequiredError extends McpError {
  override name = "UrlElicitationRequiredError";

  /**
   * The pages, each with the id that a later notification uses when the user is done. Security: the server wrote them; open one
   * only if the user agrees.
   */
  readonly elicitations: readonly ElicitRequestURLParams[];

  /** Each of `elicitations` should have an `elicitationId`; their `mode` may be left out. Default message: `URL elicitation required`. */
  constructor(elicitations: readonly UrlElicitation[], message?: string) {
    const pages = elicitations.map((page): ElicitRequestURLParams => ({ mode: "url", ...page }));
    super(ErrorCode.UrlElicitationRequired, message ?? `URL elicitation${pages.length > 1 ? "s" : ""} required`, { elicitations: pages });
    this.elicitations = pages;
  }

  /**
   * Rebuilds the error from an error object; its message is kept word for word, missing elicitations are an empty list.
   * @throws RangeError if the code is another one
   * @throws TypeError if the elicitations are malformed
   */
  static override fromErrorData(error: ErrorData): UrlElicitationRequiredError {
    if (error.code !== ErrorCode.UrlElicitationRequired) {
      throw new RangeError(`Expected error code ${ErrorCode.UrlElicitationRequired}, got ${error.code}`);
    }
    const elicitations = (isJsonObject(error.data) ? error.data["elicitations"] : undefined) ?? [];
    if (!isUrlElicitations(elicitations)) throw new TypeError("Malformed elicitations in a -32042 error");
    return new UrlElicitationRequiredError(elicitations, error.message);
  }
}

/** @internal */
export function isUrlElicitations(value: unknown): value is UrlElicitation[] {
  return Array.isArray(value) && value.every(isUrlElicitation);
}

function isUrlElicitation(value: unknown): value is UrlElicitation {
  return (
    isJsonObject(value) &&
    (value["mode"] === undefined || value["mode"] === "url") &&
    typeof value["message"] === "string" &&
    typeof value["url"] === "string" &&
    (value["elicitationId"] === undefined || typeof value["elicitationId"] === "string")
  );
}

/** The server has no such resource. `data.uri` is the requested URI. */
export class ResourceNotFoundError extends McpError {
  override name = "ResourceNotFoundError";

  /** The URI as it was requested. */
  readonly uri: string;

  /** The client receives `message` and `uri`, with code -32002, or -32602 on stateless revisions. */
  constructor(uri: string, message = "Resource not found") {
    super(ErrorCode.ResourceNotFound, message, { uri });
    this.uri = uri;
  }
}

/** The options of `connect()` that declare capabilities. */
const OPTION_OF: Readonly<Record<string, string>> = {
  elicitation: "onElicit",
  sampling: "onSample",
  roots: "roots",
  extensions: "extensions",
};

/** Names what is missing: `"elicitation.form" (option "onElicit" of the client)`. */
export function describeCapability(missing: ClientCapabilities): string {
  const [name, parts] = Object.entries(missing)[0] ?? [];
  if (name === undefined) return "a capability";
  const [part] = typeof parts === "object" && parts !== null ? Object.keys(parts) : [];
  const option = OPTION_OF[name];
  const path = JSON.stringify(part === undefined ? name : `${name}.${part}`);
  return option === undefined ? path : `${path} (option "${option}" of the client)`;
}

function describeMissing(missing: ClientCapabilities): string {
  const isKnown = Object.keys(missing).length > 0;
  return `Missing required client capability${isKnown ? ` ${describeCapability(missing)}` : ""}`;
}

/** This request needs a capability that the client did not declare. `data.requiredCapabilities` is what is missing. */
export class MissingClientCapabilityError extends McpError {
  override name = "MissingClientCapabilityError";

  /** What is missing, as the client would have to declare it. */
  readonly requiredCapabilities: ClientCapabilities;

  /** A handler throws it; `requiredCapabilities` is what the handler needs and the client did not declare. */
  constructor(requiredCapabilities: ClientCapabilities, message: string = describeMissing(requiredCapabilities)) {
    super(ErrorCode.MissingRequiredClientCapability, message, { requiredCapabilities });
    this.requiredCapabilities = requiredCapabilities;
  }
}

/** The server does not support the requested revision. `data` is `{ supported, requested }`. */
export class UnsupportedVersionError extends McpError {
  override name = "UnsupportedVersionError";

  /** The revisions that the server supports. */
  readonly supported: readonly string[];
  /** The requested revision. */
  readonly requested: string;

  /** Both lists are sent in `data`. */
  constructor(supported: readonly string[], requested: string, message = "Unsupported protocol version") {
    super(ErrorCode.UnsupportedProtocolVersion, message, { supported, requested });
    this.supported = supported;
    this.requested = requested;
  }
}

/** What a stateless server cannot request from its client. */
export type StatelessMethod = "sampling" | "list_roots" | "elicitation";

/** A handler sent a request to the client on a channel without a back-channel: on a stateless revision, or without a session. */
export class StatelessModeNotSupported extends NoBackChannelError {
  override name = "StatelessModeNotSupported";

  /** `method` is what was requested; the message names it and says what to do instead. */
  constructor(method: StatelessMethod) {
    super(method);
    this.message = `Cannot use ${method} in stateless mode: it does not support requests from the server to the client. Ask with ctx.elicit, ctx.sample or ctx.roots, or serve stateful sessions.`;
  }
}
