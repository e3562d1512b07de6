/**
 * The errors that carry protocol data. Each is rebuilt as its own class when it arrives (`error-revival.ts`), so `instanceof`
 * works on both sides of a connection.
 *
 * Codes are neutral here; which code a revision puts on the wire is decided by its codec.
 */
import { isJsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, NoBackChannelError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { ClientCapabilities } from "./capabilities.ts";
import type { ElicitRequestURLParams } from "./elicitation.ts";

/** The request can be served once the user has visited these pages (-32042, 2025-11-25 only; ER-06, A5.6). */
export class UrlElicitationRequiredError extends McpError {
  override name = "UrlElicitationRequiredError";

  /** The pages, each with the id by which its end is told (ER-07). Written by the server: to be opened only if the user agrees. */
  readonly elicitations: readonly ElicitRequestURLParams[];

  /** Each of `elicitations` should have its `elicitationId` (A5.6). Default message: `URL elicitation required` (ER-06). */
  constructor(elicitations: readonly ElicitRequestURLParams[], message?: string) {
    super(ErrorCode.UrlElicitationRequired, message ?? `URL elicitation${elicitations.length > 1 ? "s" : ""} required`, { elicitations });
    this.elicitations = elicitations;
  }

  /**
   * The error behind an error object; its message is kept word for word, missing elicitations are an empty list.
   * @throws RangeError for another code
   * @throws TypeError for elicitations that are none
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
export function isUrlElicitations(value: unknown): value is ElicitRequestURLParams[] {
  return Array.isArray(value) && value.every(isUrlElicitation);
}

function isUrlElicitation(value: unknown): value is ElicitRequestURLParams {
  return (
    isJsonObject(value) &&
    value["mode"] === "url" &&
    typeof value["message"] === "string" &&
    typeof value["url"] === "string" &&
    (value["elicitationId"] === undefined || typeof value["elicitationId"] === "string")
  );
}

/** The server has no such resource (A5.5). `data.uri` is the one asked for. */
export class ResourceNotFoundError extends McpError {
  override name = "ResourceNotFoundError";

  /** The resource asked for, as it was asked for. */
  readonly uri: string;

  /** What clients are told is `message` and `uri`, with -32002, or -32602 on stateless revisions (A5.5). */
  constructor(uri: string, message = "Resource not found") {
    super(ErrorCode.ResourceNotFound, message, { uri });
    this.uri = uri;
  }
}

/** Serving this request needs something the client did not say it can do. `data.requiredCapabilities` is what is missing. */
export class MissingClientCapabilityError extends McpError {
  override name = "MissingClientCapabilityError";

  /** What is missing, as the client would have to declare it (A3.12). */
  readonly requiredCapabilities: ClientCapabilities;

  /** Thrown by a handler: `requiredCapabilities` is what it needs and the client did not declare. */
  constructor(requiredCapabilities: ClientCapabilities, message = "Missing required client capability") {
    super(ErrorCode.MissingRequiredClientCapability, message, { requiredCapabilities });
    this.requiredCapabilities = requiredCapabilities;
  }
}

/** The revision asked for is not served here. `data` is `{ supported, requested }`. */
export class UnsupportedVersionError extends McpError {
  override name = "UnsupportedVersionError";

  /** The revisions the peer serves. */
  readonly supported: readonly string[];
  /** The revision asked for. */
  readonly requested: string;

  /** An error with both lists in its `data` (A5.2). */
  constructor(supported: readonly string[], requested: string, message = "Unsupported protocol version") {
    super(ErrorCode.UnsupportedProtocolVersion, message, { supported, requested });
    this.supported = supported;
    this.requested = requested;
  }
}

/** What a stateless server can never ask its client. */
export type StatelessMethod = "sampling" | "list_roots" | "elicitation";

/** A handler asked the client over a channel that has no way back: a stateless revision, or a request without a session. */
export class StatelessModeNotSupported extends NoBackChannelError {
  override name = "StatelessModeNotSupported";

  /** `method` is what was asked: it stands in the message, which says what to do instead (ER-11). */
  constructor(method: StatelessMethod) {
    super(method);
    this.message = `Cannot use ${method} in stateless mode: it does not support requests from the server to the client. Ask with ctx.elicit, ctx.sample or ctx.roots, or serve stateful sessions.`;
  }
}
