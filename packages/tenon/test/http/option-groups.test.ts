// The options of an endpoint are in groups, and an option that is out of range is named by its whole path.
import { describe, expect, test } from "vitest";
import { createFetchHandler, type McpServer, type HttpOptions } from "tenon/server";
import { serveHttp, serveStdio, toNodeHandler } from "tenon/node";
import { connect } from "tenon/client";
import { ClientSessionGroup } from "tenon/group";
import { testServer } from "../support/test-server.ts";

const server = (): McpServer => testServer({ name: "t" });

describe("an option that is out of range is refused by its path", () => {
  test.each<[string, HttpOptions]>([
    ["limits.maxBodyBytes", { limits: { maxBodyBytes: 0 } }],
    ["limits.maxStalled", { limits: { maxStalled: -1 } }],
    ["limits.maxInFlight", { limits: { maxInFlight: 0 } }],
    ["limits.handlerTimeout", { limits: { handlerTimeout: -1 } }],
    ["sessions.max", { sessions: { max: 0 } }],
    ["sessions.idle", { sessions: { idle: Number.NaN } }],
    ["streams.maxPerPrincipal", { streams: { maxPerPrincipal: 0 } }],
    ["streams.keepAlive", { streams: { keepAlive: -1 } }],
    ["timeout", { timeout: -1 }],
  ])("%s of an endpoint", (path, options) => {
    const named = new RegExp(`^Option "${path}" must be`);
    expect(() => createFetchHandler(server(), options)).toThrow(named);
    expect(() => toNodeHandler(server(), options)).toThrow(named);
  });

  test("limits of Node's endpoint, of stdio, of a client, of a target and of a group", async () => {
    await expect(serveHttp(server(), { limits: { minBodyRate: -1 } })).rejects.toThrow('"limits.minBodyRate"');
    await expect(serveStdio(server(), { limits: { maxInFlight: 0 }, exit: false })).rejects.toThrow('"limits.maxInFlight"');
    await expect(connect(server(), { limits: { maxRounds: -1 } })).rejects.toThrow('"limits.maxRounds"');
    const target = { url: "http://127.0.0.1:1/mcp", limits: { maxResponseBytes: 0 } };
    await expect(connect(target)).rejects.toThrow('"limits.maxResponseBytes"');
    expect(() => new ClientSessionGroup({ limits: { maxServers: 0 } })).toThrow('"limits.maxServers"');
  });
});

test("a server of a group has the limits of the group, its own over them, and those of its target", async () => {
  const asking = server();
  asking.tool("two", {}, async (_input, ctx) => {
    await Promise.all([1, 2].map((n) => ctx.confirm(`q${n}`, "Go on?")));
    return "asked";
  });
  const onElicit = () => ({ action: "decline" }) as const;
  const outcome = async (limits: object, own: object): Promise<unknown> => {
    await using group = await ClientSessionGroup.connect(
      { s: { target: asking, limits: own } },
      { limits, onElicit, readyTimeout: Infinity },
    );
    return await group.callTool("s__two", {}).then(
      ({ text }) => text,
      (error: Error) => `${error.message}; ${String(error.cause)}`,
    );
  };
  expect(await outcome({ maxInFlight: 1, maxServers: 1 }, {})).toContain('Limit "limits.maxInFlight" of 1 exceeded (2)');
  expect(await outcome({ maxInFlight: 1 }, { maxInFlight: 2 })).toBe("asked");
});
