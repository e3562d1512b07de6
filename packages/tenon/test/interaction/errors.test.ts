/** Errors on their way from a handler to the caller: which leave as they are, which are masked, which change their code. */
import { describe, expect, it } from "vitest";
import {
  ConnectionClosedError,
  ErrorCode,
  McpError,
  type McpServer,
  MissingClientCapabilityError,
  NoBackChannelError,
  RequestTimeoutError,
  ResourceNotFoundError,
  StatelessModeNotSupported,
  UrlElicitationRequiredError,
  type ElicitRequestURLParams,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const pages: ElicitRequestURLParams[] = [
  { mode: "url", message: "Log in", url: "https://example.com/a", elicitationId: "e1" },
  { mode: "url", message: "Pay", url: "https://example.com/b", elicitationId: "e2" },
];

describeMatrix("Errors of handlers", ({ connect, revision, stateless }) => {
  const reports: unknown[] = [];
  function serverThrowing(error: Error): McpServer {
    reports.length = 0;
    const server = testServer({ onError: (failure) => void reports.push(failure) });
    server.tool("throw", {}, () => {
      throw error;
    });
    server.resource("a://b", {}, () => {
      throw error;
    });
    server.prompt("throw", {}, () => {
      throw error;
    });
    return server;
  }

  it("an McpError leaves with its code, message and data, from a tool too [ER-05 ER-01 XT-17]", async () => {
    const client = await connect(serverThrowing(new McpError(-31_000, "Out of seats", { left: 0, why: null })));
    for (const call of [client.callTool("throw"), client.readResource("a://b"), client.getPrompt("throw")]) {
      expect(await failureOf(call)).toMatchObject({ code: -31_000, message: "Out of seats", data: { left: 0, why: null } });
    }
    expect(reports).toEqual([]);
    const bare = await connect(serverThrowing(new McpError(-31_000, "Out of seats")));
    expect(await failureOf(bare.callTool("throw"))).not.toHaveProperty("data");
  });

  it("an McpError that is not a JSON-RPC error is -32603, and is reported to the operator [A1.7]", async () => {
    const odd: [number, string][] = [
      [1.5, "fraction"],
      [NaN, "no number"],
      ["E_NO" as never, "text"],
      [-31_000, Symbol("s") as never],
    ];
    for (const [code, message] of odd) {
      const error = new McpError(code, "");
      Object.defineProperty(error, "message", { value: message });
      const client = await connect(serverThrowing(error));
      expect(await failureOf(client.callTool("throw"))).toMatchObject({ code: -32603, message: "Internal error" });
      expect(reports).toEqual([error]);
    }
  });

  it("its cause and stack stay with the operator [ER-05 R11]", async () => {
    const error = new McpError(-31_000, "No", undefined, { cause: new Error("password=hunter2") });
    const client = await connect(serverThrowing(error));
    const failure = await failureOf(client.callTool("throw"));
    expect(failure.cause).toBeUndefined();
    expect(JSON.stringify(failure.toErrorData())).toBe('{"code":-31000,"message":"No"}');
    expect(reports).toEqual([error]);
  });

  it("anything else is -32603 with an id the operator has too [R11]", async () => {
    const reported: (string | undefined)[] = [];
    const secret = new Error("password=hunter2");
    const server = testServer({ onError: (_error, { errorId }) => void reported.push(errorId) });
    server.resource("a://b", {}, () => {
      throw secret;
    });
    const client = await connect(server);
    const failure = await failureOf(client.readResource("a://b"));
    expect(failure).toMatchObject({
      code: -32603,
      message: "Internal error",
      data: { errorId: expect.stringMatching(/^[0-9a-f]{8}$/) },
    });
    expect(reported).toEqual([(failure.data as { errorId: string }).errorId]);
  });

  it("UrlElicitationRequired arrives as that class on 2025-11-25 only [XT-17 A5.4 A5.6 ER-06 ER-07 ER-09]", async () => {
    const client = await connect(serverThrowing(new UrlElicitationRequiredError(pages)));
    const failure = await failureOf(client.callTool("throw"));
    // There it becomes a question, which this client did not declare that it can answer.
    if (revision === "2026-07-28") {
      return expect(failure).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } });
    }
    expect(failure.message).toBe("URL elicitations required");
    if (revision !== "2025-11-25") return expect(failure.code).toBe(-32603);
    expect(failure).toBeInstanceOf(UrlElicitationRequiredError);
    expect(failure).toMatchObject({ code: -32042, elicitations: pages, data: { elicitations: pages } });
  });

  it("codes of other revisions and local codes do not leak [A5.2 A5.3 A5.4 A5.5 ER-12]", async () => {
    const sent: [McpError, number, number][] = [
      [new ResourceNotFoundError("a://b"), -32002, -32602],
      [new MissingClientCapabilityError({ sampling: {} }), -32600, -32021],
      [new RequestTimeoutError("x", 1), -32603, -32603],
      [new ConnectionClosedError(), -32603, -32603],
      [new NoBackChannelError("x"), -32600, -32600],
    ];
    for (const [error, stateful, own] of sent) {
      const client = await connect(serverThrowing(error));
      const failure = await failureOf(client.callTool("throw"));
      expect({ code: failure.code, message: failure.message, data: failure.data }).toEqual({
        code: stateless ? own : stateful,
        message: error.message,
        data: error.data,
      });
    }
  });
});

describeMatrix(
  "Errors of a client's callbacks",
  ({ connect }) => {
    it("local codes do not leak to the server either [ER-12]", async () => {
      const server = testServer({ onError: () => undefined });
      server.tool("ask", {}, async (_input, ctx) => {
        const failure = await failureOf(ctx.session.listRoots());
        return `${failure.code} ${failure.message}`;
      });
      for (const error of [new RequestTimeoutError("x", 1), new ConnectionClosedError()]) {
        const client = await connect(server, {
          roots: () => {
            throw error;
          },
        });
        expect(await client.callTool("ask")).toMatchObject({ content: [{ text: `-32603 ${error.message}` }] });
      }
    });
  },
  REVISIONS.filter((revision) => revision !== "2026-07-28"),
);

describeMatrix("An operator's listener", ({ connect }) => {
  it("that throws or rejects changes nothing for the client [D12]", async () => {
    const listeners = [
      (): never => {
        throw new Error("listener");
      },
      (): Promise<never> => Promise.reject(new Error("listener")),
    ];
    for (const onError of listeners) {
      const server = testServer({ onError: onError as () => void });
      server.tool("throw", {}, () => {
        throw new Error("tool");
      });
      server.resource("a://b", {}, () => {
        throw new Error("resource");
      });
      const client = await connect(server);
      expect((await client.callTool("throw")).isError).toBe(true);
      expect(await failureOf(client.readResource("a://b"))).toMatchObject({ code: -32603, message: "Internal error" });
    }
  });
});

describe("McpError", () => {
  it("has code, message and data, and no member data if the error has none [ER-01 ER-02 ER-04]", () => {
    const error = new McpError(ErrorCode.InvalidParams, "Bad", { a: 1 });
    expect([error.code, error.message, error.data, error.name, String(error)]).toEqual([
      -32602,
      "Bad",
      { a: 1 },
      "McpError",
      "McpError: Bad",
    ]);
    expect("data" in new McpError(1, "x")).toBe(false);
    expect(new McpError(1, "x").toErrorData()).toEqual({ code: 1, message: "x" });
    expect(new McpError(1, "x", null).toErrorData()).toEqual({ code: 1, message: "x", data: null });
  });

  it("is made again from what arrived, as its own class [ER-03 ER-09]", () => {
    const made = McpError.fromJsonRpcError({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32042, message: "As sent", data: { elicitations: pages } },
    });
    expect(made).toBeInstanceOf(UrlElicitationRequiredError);
    expect(made).toMatchObject({ message: "As sent", elicitations: pages });
    expect(McpError.fromErrorData({ code: -32002, message: "gone", data: { uri: "a://b" } })).toBeInstanceOf(
      ResourceNotFoundError,
    );
    expect(McpError.fromErrorData({ code: -5, message: "x", data: [1] })).toMatchObject({ code: -5, data: [1] });
    const malformed = McpError.fromErrorData({ code: -32042, message: "x", data: { elicitations: [{ mode: "form" }] } });
    expect(malformed).not.toBeInstanceOf(UrlElicitationRequiredError);
    expect(malformed.data).toEqual({ elicitations: [{ mode: "form" }] });
  });

  it("UrlElicitationRequiredError counts its pages and refuses what is not its own [ER-06 ER-08]", () => {
    expect(new UrlElicitationRequiredError([]).message).toBe("URL elicitation required");
    expect(new UrlElicitationRequiredError(pages.slice(1)).message).toBe("URL elicitation required");
    expect(new UrlElicitationRequiredError(pages).message).toBe("URL elicitations required");
    expect(() => UrlElicitationRequiredError.fromErrorData({ code: -32041, message: "x" })).toThrow(
      "Expected error code -32042, got -32041",
    );
    expect(UrlElicitationRequiredError.fromErrorData({ code: -32042, message: "own words" })).toMatchObject({
      message: "own words",
      elicitations: [],
    });
    expect(() => UrlElicitationRequiredError.fromErrorData({ code: -32042, message: "x", data: { elicitations: [{}] } })).toThrow(
      TypeError,
    );
  });

  it("a missing back-channel is the same kind of error from every part that reports it [ER-10 ER-11 CF-12]", () => {
    const error = new NoBackChannelError("ping");
    expect(error).toMatchObject({ code: -32600, method: "ping" });
    expect(error.message).toBe("Cannot send 'ping': this transport context has no back-channel for server-initiated requests.");
    const stateless = new StatelessModeNotSupported("sampling");
    expect(stateless).toBeInstanceOf(NoBackChannelError);
    expect(stateless.method).toBe("sampling");
  });

  it("knows every code [ER-12]", () => {
    expect(ErrorCode).toEqual({
      ParseError: -32700,
      InvalidRequest: -32600,
      MethodNotFound: -32601,
      InvalidParams: -32602,
      InternalError: -32603,
      ConnectionClosed: -32000,
      RequestTimeout: -32001,
      ResourceNotFound: -32002,
      HeaderMismatch: -32020,
      MissingRequiredClientCapability: -32021,
      UnsupportedProtocolVersion: -32022,
      UrlElicitationRequired: -32042,
      RequestCancelled: -32800,
    });
  });

  it("is recognised across copies of the package [ER-13]", () => {
    const foreign = Object.assign(Object.create({ [Symbol.for("tenon.McpError")]: true }) as object, { code: 1, message: "x" });
    expect(McpError.isMcpError(foreign)).toBe(true);
    for (const other of [new Error("x"), { code: 1, message: "x" }, null, "x"]) expect(McpError.isMcpError(other)).toBe(false);
  });
});
