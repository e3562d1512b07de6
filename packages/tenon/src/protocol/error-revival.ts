/**
 * Rebuilds errors that arrive as instances of their own classes. Only receivers of errors load it: a server with its first request
 * to a client. A bundler omits it from programs that never receive errors.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, registerReviver, type ErrorData } from "../jsonrpc/mcp-error.ts";
import {
  isUrlElicitations,
  MissingClientCapabilityError,
  ResourceNotFoundError,
  UnsupportedVersionError,
  UrlElicitationRequiredError,
} from "./errors.ts";

/** Rebuilds an error from its error object, as an instance of its subclass if there is one. */
export const reviveError: (error: ErrorData) => McpError = /* @__PURE__ */ registerAll();

function registerAll(): (error: ErrorData) => McpError {
  reviveFrom(ErrorCode.UrlElicitationRequired, ({ elicitations = [] }, error) =>
    isUrlElicitations(elicitations) ? UrlElicitationRequiredError.fromErrorData(error) : undefined,
  );
  reviveFrom(ErrorCode.ResourceNotFound, ({ uri }, { message }) =>
    typeof uri === "string" ? new ResourceNotFoundError(uri, message) : undefined,
  );
  reviveFrom(ErrorCode.MissingRequiredClientCapability, ({ requiredCapabilities }, { message }) =>
    isJsonObject(requiredCapabilities) ? new MissingClientCapabilityError(requiredCapabilities, message) : undefined,
  );
  reviveFrom(ErrorCode.UnsupportedProtocolVersion, ({ supported, requested }, { message }) =>
    isStrings(supported) && typeof requested === "string" ? new UnsupportedVersionError(supported, requested, message) : undefined,
  );
  return (error) => McpError.fromErrorData(error);
}

/**
 * Registers the class of a code. If the data of a known code is malformed, the error is kept as a plain `McpError`. What the peer
 * sent is kept unchanged.
 */
function reviveFrom(code: number, build: (data: JsonObject, error: ErrorData) => McpError | undefined): void {
  registerReviver(code, (error) => {
    const revived = build(isJsonObject(error.data) ? error.data : {}, error);
    return revived && Object.assign(revived, { data: error.data });
  });
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
