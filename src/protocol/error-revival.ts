/**
 * Errors that arrive become their own classes again. Loaded by whoever receives errors: a server does so with its first
 * question, and a bundler leaves it out where nobody ever does.
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

/** The error behind an error object, as its own subclass where there is one. */
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
 * Registers the class of a code. Malformed data of a known code is no reason to lose the error: then it stays a plain
 * one. What the peer sent is kept as it came.
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
