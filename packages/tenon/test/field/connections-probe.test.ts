// What old servers say to a request before the handshake: a client that asks first is never worse off than one that does not
// (F2.3).
import { connect } from "tenon";
import { describe, expect, test } from "vitest";
import { quiet, scriptedHttp, stateful, type Reply } from "../http-client/scripted-http.ts";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";

/** A server with sessions that gives `answer` to each request before the handshake. */
const server = (answer: (reply: Reply, id: unknown) => void) => {
  const script = quiet(stateful((_, reply) => reply.result({ tools: [] }), { version: "2025-06-18" }));
  return scriptedHttp((request, reply) =>
    request.headers["mcp-method"] === undefined ? script(request, reply) : answer(reply, request.message["id"]),
  );
};
const error = (id: unknown, code = -32603) => ({ jsonrpc: "2.0", id, error: { code, message: "Unknown method" } });

describe("an answer of the server itself leads to the handshake", () => {
  test.each([400, 401, 403, 404, 405, 406, 409, 418, 422, 500, 501, 505])(
    "a JSON-RPC error under HTTP %i [FD-63]",
    async (status) => {
      for (const own of [true, false]) {
        const { url } = await server((reply, id) => reply.json(error(own ? id : null), status));
        const client = await closing(connect(url));
        expect((await client.listTools()).tools).toEqual([]);
      }
    },
  );

  test.each([
    ["501 as text", (reply: Reply) => reply.text("Not Implemented", 501)],
    ["401 that misses a session", (reply: Reply) => reply.text("Unauthorized: Session ID is required", 401)],
    ["500 that misses a session", (reply: Reply) => reply.text("Error: No valid session ID provided", 500)],
    ["422 as text", (reply: Reply) => reply.text("Unexpected message, expect initialize request", 422)],
    ["200 with nothing usable", (reply: Reply) => reply.text("OK")],
    ["204", (reply: Reply) => void reply.response.writeHead(204).end()],
  ])("%s [FD-63 B4.5]", async (_what, answer) => {
    const client = await closing(connect((await server(answer)).url));
    expect((await client.listTools()).tools).toEqual([]);
  });
});

describe("an outage stays one, and its error names the option that skips the probe [FD-63]", () => {
  test.each([403, 500, 502, 503, 504])("a page under HTTP %i", async (status) => {
    const { url, methods } = await server((reply) => reply.text("<h1>Away</h1>", status));
    expect((await failureOf(connect(url))) as Error).toMatchObject({
      status,
      message: expect.stringContaining('option "revision"'),
    });
    expect(methods).toEqual(["server/discover"]);
    expect((await (await closing(connect(url, { revision: "stateful" }))).listTools()).tools).toEqual([]);
  });
});

test("if the handshake fails as well, its error is thrown, not the probe's [FD-63]", async () => {
  const { url } = await scriptedHttp((request, reply) =>
    reply.json(
      { ...error(request.message["id"]), error: { code: -32603, message: `no ${String(request.message["method"])}` } },
      500,
    ),
  );
  expect(await failureOf(connect(url))).toMatchObject({ message: "no initialize" });
});
