/**
 * Opaque values of clients: states of calls and cursors lead to the server that made them, and open for the caller that got them.
 */
import { expect, it, onTestFinished } from "vitest";
import { connect, type Client, type JsonObject } from "tenon";
import { createGateway, type Gateway, type GatewayOptions } from "tenon/gateway";
import { createFetchHandler, type FetchHandler } from "tenon/server";
import { result, scriptedServer } from "../support/scripted-server.ts";
import type { ScriptedTransport } from "../support/scripted-transport.ts";
import { byName } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const KEYS = ["a key of all gateways, of 32 bytes or more"];
const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { resources: {} },
  ttlMs: 0,
  cacheScope: "private",
};
const complete = (members: JsonObject): JsonObject => ({ resultType: "complete", ttlMs: 0, cacheScope: "private", ...members });

/** A stateless server with one resource, which asks before it is read. Returns the states that came back to it, too. */
function asking(name: string): { target: ScriptedTransport; states: unknown[] } {
  const states: unknown[] = [];
  const target = scriptedServer({
    "server/discover": result(DISCOVERED),
    "resources/list": result(complete({ resources: [{ uri: "note://today", name: "today" }] })),
    "resources/templates/list": result(complete({ resourceTemplates: [] })),
    "resources/read": (request, server) => {
      const { requestState } = request["params"] as JsonObject;
      if (requestState !== undefined) states.push(requestState);
      const question = {
        resultType: "input_required",
        requestState: `state of ${name}`,
        inputRequests: { roots: { method: "roots/list", params: {} } },
      };
      const read = complete({ contents: [{ uri: "note://today", text: name }] });
      result(requestState === undefined ? question : read)(request, server);
    },
  });
  return { target, states };
}

/** A server with sessions whose list of tasks has more than one page. Returns the cursors that came to it, too. */
function paging(name: string): { target: ScriptedTransport; cursors: unknown[] } {
  const cursors: unknown[] = [];
  const target = scriptedServer({
    initialize: result({
      protocolVersion: "2025-11-25",
      capabilities: { tasks: { list: {} } },
      serverInfo: { name, version: "1" },
    }),
    "tasks/list": (request, server) => {
      const { cursor } = (request["params"] ?? {}) as JsonObject;
      cursors.push(cursor);
      result({ tasks: [], ...(cursor === undefined && { nextCursor: `page of ${name}` }) })(request, server);
    },
  });
  return { target, cursors };
}

function serve(options: GatewayOptions): { gateway: Gateway; handler: FetchHandler } {
  const gateway = createGateway({ readyTimeout: 60_000, requestState: { keys: KEYS }, onError: () => undefined, ...options });
  const handler = createFetchHandler(gateway, { auth: byName });
  onTestFinished(async () => {
    await gateway.close();
    await handler.close();
  });
  return { gateway, handler };
}

/** A client that gets questions as the results that they are. */
async function clientOf(handler: FetchHandler, name: string, revision: "2025-11-25" | "2026-07-28"): Promise<Client> {
  const client = await connect(
    { url: "http://localhost/mcp", headers: { authorization: name }, fetch: (url, init) => handler(new Request(url, init)) },
    { revision, roots: [], limits: { maxRounds: 0 } },
  );
  onTestFinished(() => client.close());
  return client;
}

const read = { uri: "note://today" };
const answers = { inputResponses: { roots: { roots: [] } } };

it("a state of a server is not sent to another one that its URI leads to meanwhile [fault G4]", async () => {
  const [first, second] = [asking("first"), asking("second")];
  const entry = ({ target }: { target: ScriptedTransport }) => ({ target, revision: "2026-07-28" }) as const;
  const other = entry(second);
  const { gateway, handler } = serve({ servers: { first: entry(first), second: other } });
  const client = await clientOf(handler, "ada", "2026-07-28");
  const { requestState } = await client.request("resources/read", read);
  await gateway.setServers({ second: other });
  const continued = client.request("resources/read", { ...read, ...answers, requestState });
  await expect(continued).rejects.toMatchObject({ code: -32602, message: "Invalid or expired requestState" });
  expect(second.states).toEqual([]);
  expect(await client.request("resources/read", read)).toMatchObject({ resultType: "input_required" });
});

it("a held call goes on at its server, by the policy for that server, while its URI leads to another one", async () => {
  const held = testServer({ name: "held" });
  held.resource("note://today", {}, async (_uri, ctx) => `held: ${(await ctx.roots()).length} roots`);
  const other = testServer({ name: "other" });
  other.resource("note://today", {}, () => "other");
  const servers = { held: { target: held, revision: "2025-11-25" }, other } as const;
  const { gateway, handler } = serve({ servers });
  const client = await clientOf(handler, "ada", "2026-07-28");
  const begin = async (): Promise<JsonObject> => {
    const { requestState, inputRequests } = await client.request("resources/read", read);
    const [key] = Object.keys(inputRequests as JsonObject);
    return { ...read, requestState, inputResponses: { [key!]: { roots: [] } } };
  };
  const [first, second] = [await begin(), await begin()];
  await gateway.setServers({ other, held: servers.held });
  const contents = [{ uri: "held+note://today", text: "held: 0 roots" }];
  expect(await client.request("resources/read", first)).toMatchObject({ contents });
  gateway.setPolicy(({ server }) => server !== "held");
  await expect(client.request("resources/read", second)).rejects.toThrow("Resource not found");
});

it("a cursor of a list of tasks leads to the server that made it, whatever servers there are meanwhile [fault G4]", async () => {
  const [first, second] = [paging("first"), paging("second")];
  const entry = ({ target }: { target: ScriptedTransport }) => ({ target, revision: "2025-11-25" }) as const;
  const [one, other] = [entry(first), entry(second)];
  const { gateway, handler } = serve({ servers: { first: one, second: other } });
  const client = await clientOf(handler, "ada", "2025-11-25");
  const { nextCursor } = await client.request("tasks/list", {});
  await gateway.setServers({ second: other, first: one });
  await client.request("tasks/list", { cursor: nextCursor });
  expect([first.cursors, second.cursors]).toEqual([[undefined, "page of first"], []]);
  await gateway.setServers({ second: other });
  await expect(client.request("tasks/list", { cursor: nextCursor })).rejects.toMatchObject({
    code: -32602,
    message: "Invalid cursor",
  });
  expect(second.cursors).toEqual([]);
});

it("a cursor of a list of tasks is its caller's own, and none can be made up [fault G4]", async () => {
  const { target, cursors } = paging("first");
  const { handler } = serve({ servers: { first: { target, revision: "2025-11-25" } } });
  const [ada, bob] = [await clientOf(handler, "ada", "2025-11-25"), await clientOf(handler, "bob", "2025-11-25")];
  const { nextCursor } = await ada.request("tasks/list", {});
  const own = Buffer.from(JSON.stringify([0, "another page"])).toString("base64url");
  for (const cursor of [nextCursor, own, `${String(nextCursor)}x`, "", "task.W10.AAAA"])
    await expect(bob.request("tasks/list", { cursor })).rejects.toMatchObject({ code: -32602, message: "Invalid cursor" });
  expect(cursors).toEqual([undefined]);
});
