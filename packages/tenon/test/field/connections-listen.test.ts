// Servers of 2026-07-28 that promise notices of changes and have no subscriptions: their lists are read nevertheless.
import { connect } from "tenon";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import { describe, expect, test } from "vitest";
import { scriptedHttp, type Reply } from "../http-client/scripted-http.ts";
import { closing } from "../support/matrix.ts";

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

/** A server that has one tool more with each list, and answers `subscriptions/listen` so. Returns its URL. */
async function growing(refuse: (reply: Reply) => void): Promise<string> {
  let lists = 0;
  const server = await scriptedHttp(({ message }, reply) => {
    const result = (members: object): void => reply.result({ resultType: "complete", ...members });
    const cached = { ttlMs: 0, cacheScope: "private" };
    switch (message["method"]) {
      case "server/discover":
        return result({ supportedVersions: ["2026-07-28"], capabilities: { tools: { listChanged: true } }, ...cached });
      case "tools/list":
        return result({ tools: ["a", "b", "c"].slice(0, ++lists).map(tool), ...cached });
      case "tools/call":
        return result({ content: [{ type: "text", text: "called" }] });
      default:
        return message["method"] === "subscriptions/listen" ? refuse(reply) : reply.error(-32601);
    }
  });
  return server.url;
}

describe.each<[string, (reply: Reply) => void]>([
  ["-32601", (reply) => reply.error(-32601)],
  ["-32601 under HTTP 404", (reply) => reply.error(-32601, 404)],
  ["HTTP 404 of a session that never was", (reply) => reply.text("session not found", 404)],
  ["HTTP 405", (reply) => reply.text("", 405)],
  ["HTTP 501", (reply) => reply.text("", 501)],
])("subscriptions that are refused by %s", (_what, refuse) => {
  test("raise no alarm in a group, which finds new tools when they are called [FD-62]", async () => {
    const errors: string[] = [];
    const servers = { s: { url: await growing(refuse) } };
    const group = await ClientSessionGroup.connect(servers, {
      readyTimeout: Infinity,
      onServerError: ({ message }) => errors.push(message),
    });
    await using _closed = { [Symbol.asyncDispose]: () => group.close() };
    expect([...group.tools.keys()]).toEqual(["s__a"]);
    expect((await group.callTool("s__b")).text).toBe("called");
    expect([errors, group.servers.get("s")?.state]).toEqual([[], "connected"]);
  });

  test("raise no alarm in a gateway, which finds new tools when they are called [FD-62]", async () => {
    const errors: string[] = [];
    const gateway = createGateway({
      servers: { s: { url: await growing(refuse) } },
      readyTimeout: 60_000,
      onError: ({ message }) => errors.push(message),
    });
    await using _closed = { [Symbol.asyncDispose]: () => gateway.close() };
    const client = await closing(connect(gateway));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["s__a"]);
    expect((await client.callTool("s__b")).text).toBe("called");
    expect(errors).toEqual([]);
  });
});

test("another error of subscriptions is reported [FD-62]", async () => {
  const errors: string[] = [];
  const url = await growing((reply) => reply.error(-32603, 500));
  const group = await ClientSessionGroup.connect(
    { s: { url } },
    { readyTimeout: Infinity, onServerError: ({ message }) => errors.push(message) },
  );
  await using _closed = { [Symbol.asyncDispose]: () => group.close() };
  await expect.poll(() => errors.length).toBe(1);
});
