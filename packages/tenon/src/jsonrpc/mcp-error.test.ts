import { describe, expect, it } from "vitest";
import {
  ConnectionClosedError,
  ErrorCode,
  LimitExceededError,
  McpError,
  McpUsageError,
  NoBackChannelError,
  ProtocolViolationError,
  RequestTimeoutError,
} from "./mcp-error.ts";

describe("McpError", () => {
  it("crosses the wire with code, message and data, and without data if it has none [TY-05]", () => {
    expect(new McpError(-32000, "m", { a: null }).toErrorData()).toEqual({ code: -32000, message: "m", data: { a: null } });
    expect(Object.keys(new McpError(-32000, "m").toErrorData())).toEqual(["code", "message"]);
    expect(new McpError(-32000, "m", null).toErrorData()).toEqual({ code: -32000, message: "m", data: null });
  });

  it("what came from the peer keeps its code and data [TY-05]", () => {
    const error = McpError.fromJsonRpcError({ jsonrpc: "2.0", id: 1, error: { code: 12, message: "theirs", data: [1] } });
    expect(error).toBeInstanceOf(McpError);
    expect(error.toErrorData()).toEqual({ code: 12, message: "theirs", data: [1] });
  });

  it("never sends its cause or its stack", () => {
    const error = new McpError(-32603, "Internal error", undefined, { cause: new Error("secret") });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(error.toErrorData())).toBe('{"code":-32603,"message":"Internal error"}');
  });

  it("knows its kind by a brand that another copy of the package shares", () => {
    expect(McpError.isMcpError(new ConnectionClosedError())).toBe(true);
    expect(McpError.isMcpError({ [Symbol.for("tenon.McpError")]: true })).toBe(true);
    for (const other of [new Error("x"), new McpUsageError("x"), { code: 1, message: "x" }, null, "x"])
      expect(McpError.isMcpError(other)).toBe(false);
  });

  it.each([
    [new ConnectionClosedError(), "ConnectionClosedError", ErrorCode.ConnectionClosed, "Connection closed"],
    [
      new RequestTimeoutError("ping", 5),
      "RequestTimeoutError",
      ErrorCode.RequestTimeout,
      'Request "ping" timed out after 5 ms (option "timeout")',
    ],
    [new NoBackChannelError("roots/list"), "NoBackChannelError", ErrorCode.InvalidRequest, "roots/list"],
    [
      new LimitExceededError("depth", 64, 65),
      "LimitExceededError",
      ErrorCode.InvalidRequest,
      'Limit "depth" of 64 exceeded (65)',
    ],
    [new ProtocolViolationError("x"), "ProtocolViolationError", ErrorCode.InvalidRequest, "x"],
  ])("%s has its name, its code, and says what it is about", (error, name, code, text) => {
    expect(error).toMatchObject({ name, code });
    expect(error.message).toContain(text);
  });

  it("a limit names itself, its size and what was there", () => {
    expect(new LimitExceededError("depth", 64, 65).data).toEqual({ limit: "depth", max: 64, actual: 65 });
    expect(new LimitExceededError("depth", 64).data).toEqual({ limit: "depth", max: 64 });
  });
});
