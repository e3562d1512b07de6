/** A response that Node refuses to write fails alone, and is reported. */
import { expect, onTestFinished, test } from "vitest";
import type { Authorized, EndpointAuth } from "tenon/auth";
import { serveHttp } from "tenon/node";
import { testServer } from "../support/test-server.ts";

const BAD = ["X-Note", "one\ntwo"];

/** Lets everyone in, or no one, with a header that no response may have where the request says so. */
function authorizer(): EndpointAuth {
  const who: Authorized = { auth: { issuer: "https://as.example", scopes: [], claims: {} }, principal: "p", until: Infinity };
  return {
    authorize: (request) => {
      if (request.header("x-refuse") !== undefined) return { status: 401, headers: BAD, message: "No" };
      return request.header("x-bad") === undefined ? who : { ...who, headers: BAD };
    },
    insufficientScope: () => ({ status: 403, headers: [], message: "No" }),
  };
}

test.each(["x-bad", "x-refuse"])(
  "an illegal header (%s): 500 for that request, a response for the others [R10]",
  async (header) => {
    const errors: Error[] = [];
    const server = testServer();
    server.tool("echo", {}, () => "hello");
    const http = await serveHttp(server, { port: 0, auth: authorizer(), onError: (error) => errors.push(error) });
    onTestFinished(() => http.close());
    const call = async (id: number, more: Record<string, string> = {}): Promise<[number, string]> => {
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
      const response = await fetch(http.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "echo",
          ...more,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: {}, _meta } }),
      });
      return [response.status, await response.text()];
    };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, id) => call(id, id % 3 === 0 ? { [header]: "1" } : {})));
    for (const [id, [status, text]] of answers.entries()) {
      expect(status, text).toBe(id % 3 === 0 ? 500 : 200);
      expect(text.includes("hello")).toBe(id % 3 !== 0);
    }
    expect(errors).toHaveLength(4);
    expect(errors[0]).toMatchObject({ code: "ERR_INVALID_CHAR" });
  },
);
