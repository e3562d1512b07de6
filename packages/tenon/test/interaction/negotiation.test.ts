/** How a client finds out what a server speaks: every outcome of the probe, with servers of all kinds and manners. */
import { describe, expect, it } from "vitest";
import { connect, ProtocolViolationError, UnsupportedVersionError, type ConnectOptions, type ProtocolVersion } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { failure, methodsOf, result, scriptedServer, type Reply } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { connected, discovered, FALLBACK, initialized, PROBE, serverInfo } from "./odd-servers.ts";

describe("A stateless server", () => {
  it("is asked first, with everything a request must say, and nothing more is sent [B3.1 B3.2 A3.4 A3.5]", async () => {
    const server = scriptedServer({
      "server/discover": discovered(["2026-07-28", "2025-11-25"], {
        instructions: "Go",
        _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
      }),
    });
    const client = await connected(server, { clientInfo: { name: "me", version: "2" }, roots: [] });
    expect(client).toMatchObject({
      protocolVersion: "2026-07-28",
      serverInfo,
      instructions: "Go",
      serverCapabilities: { tools: {} },
    });
    expect(server.sent).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "server/discover",
        params: {
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { roots: {} },
            "io.modelcontextprotocol/clientInfo": { name: "me", version: "2" },
          },
        },
      },
    ]);
  });

  it("may say who it is at the top, or not at all [A1.13 A3.8 Z20]", async () => {
    expect((await connected(scriptedServer({ "server/discover": discovered(undefined, { serverInfo }) }))).serverInfo).toEqual(
      serverInfo,
    );
    expect((await connected(scriptedServer({ "server/discover": discovered() }))).serverInfo).toBeUndefined();
  });

  it("may put unknown members beside the result [Z13]", async () => {
    const odd = scriptedServer({
      "server/discover": ({ id }, server) =>
        server.push({
          jsonrpc: "2.0",
          id,
          resultType: "complete",
          _meta: { "a.example/b": 1 },
          result: {
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: {},
            ttlMs: 0,
            cacheScope: "private",
          },
        }),
    });
    expect((await connected(odd)).protocolVersion).toBe("2026-07-28");
  });

  it("that responds -32022 with this very revision is called once more, not twice [B2.3 B3.3]", async () => {
    let asked = 0;
    const flaky = scriptedServer({
      "server/discover": (request, server) =>
        (asked++ === 0 ? failure(-32022, { supported: ["2026-07-28"], requested: "2026-07-28" }) : discovered())(request, server),
    });
    expect((await connected(flaky)).protocolVersion).toBe("2026-07-28");
    const stubborn = scriptedServer({
      "server/discover": failure(-32022, { supported: ["2026-07-28"], requested: "2026-07-28" }),
    });
    expect(await failureOf(connect(stubborn))).toBeInstanceOf(UnsupportedVersionError);
    expect(methodsOf(stubborn)).toEqual(["server/discover", "server/discover"]);
  });

  it("that supports only unknown revisions is not sent a handshake [B3.3 B2.4 Z12]", async () => {
    const refusing = scriptedServer({
      "server/discover": failure(-32022, { supported: ["2099-01-01"], requested: "2026-07-28" }),
      initialize: initialized(),
    });
    expect(await failureOf(connect(refusing))).toMatchObject({ code: -32022, data: { supported: ["2099-01-01"] } });
    expect(methodsOf(refusing)).toEqual(PROBE);
    const answering = scriptedServer({ "server/discover": discovered(["2099-01-01"]), initialize: initialized() });
    expect(await failureOf(connect(answering))).toMatchObject({
      code: -32022,
      data: { supported: ["2099-01-01"], requested: "2026-07-28" },
    });
    expect(methodsOf(answering)).toEqual(PROBE);
  });

  it.each([-32020, -32021])("that refuses with %i is believed: no handshake follows [B3.3]", async (code) => {
    const server = scriptedServer({
      "server/discover": failure(code, { requiredCapabilities: { sampling: {} } }),
      initialize: initialized(),
    });
    expect(await failureOf(connect(server))).toMatchObject({ code });
    expect(methodsOf(server)).toEqual(PROBE);
  });
});

describe("A stateful server", () => {
  it.each([
    ["says -32601", failure(-32601)],
    ["says -32602", failure(-32602)],
    ["says -32600 without an id", failure(-32600, undefined, null)],
    ["says -32700 without an id", failure(-32700, undefined, null)],
    ["says -32000", failure(-32000)],
    ["says 0", failure(0)],
    ["says -32022 without saying what it supports", failure(-32022)],
    ["says -32022 and lists stateful revisions", failure(-32022, { supported: ["2025-11-25"], requested: "x" })],
    ["lists only stateful revisions", discovered(["2025-06-18", "2025-11-25"])],
    ["responds with a malformed result", result({ hello: "world" })],
    ["responds with malformed versions", discovered("2026-07-28")],
    ["responds with an unknown kind of result", discovered(undefined, { resultType: "surprise" })],
    [
      "answers with result and error",
      (({ id }, server) => server.push({ jsonrpc: "2.0", id, result: {}, error: { code: 1, message: "" } })) satisfies Reply,
    ],
    [
      "prints garbage first",
      ((request, server) => {
        server.push("npm warn deprecated");
        server.push("{");
        failure(-32601)(request, server);
      }) satisfies Reply,
    ],
  ])("that %s gets a handshake [B2.4 B3.4 B1.5 B1.6 requirement Z3 Z12 Z14]", async (_manner, discover) => {
    const server = scriptedServer({ "server/discover": discover, initialize: initialized() });
    const client = await connected(server);
    expect(client).toMatchObject({ protocolVersion: "2025-06-18", serverInfo });
    expect(methodsOf(server)).toEqual(FALLBACK);
    expect(server.sent[1]).toEqual({
      jsonrpc: "2.0",
      id: 2,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tenon", version: "0.1.0" } },
    });
    expect(server.sent[2]).toEqual({ jsonrpc: "2.0", method: "notifications/initialized" });
  });

  it("that stays silent gets one after the probe's time; the probe is kept, its late response ignored [B3.4 B3.6]", async () => {
    const clock = new VirtualClock();
    const errors: Error[] = [];
    const server = scriptedServer({ initialize: initialized("2025-11-25") });
    const connecting = connected(server, { clock, onError: (error) => void errors.push(error) });
    await clock.advance(4_999);
    expect(methodsOf(server)).toEqual(PROBE);
    await clock.advance(1);
    const client = await connecting;
    expect(methodsOf(server)).toEqual(FALLBACK);
    server.push({
      jsonrpc: "2.0",
      id: 1,
      result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} },
    });
    await turn();
    expect(client.protocolVersion).toBe("2025-11-25");
    expect(errors.map(({ message }) => message)).toEqual([
      'The server did not respond to "server/discover" within 5000 ms (option "probeTimeout"): ' +
        "the client tries an older revision",
    ]);
    await clock.advance(250);
    expect(clock.pending).toBe(0);
  });

  it("probeTimeout is how long it may stay silent [B3.4]", async () => {
    const clock = new VirtualClock();
    const server = scriptedServer({ initialize: initialized() });
    const connecting = connected(server, { clock, probeTimeout: 50 });
    await clock.advance(50);
    expect((await connecting).protocolVersion).toBe("2025-06-18");
    await expect(connect(scriptedServer({}), { probeTimeout: -1 })).rejects.toBeInstanceOf(RangeError);
  });

  it("that closes at the probe is lost if it cannot be connected to again [B3.4]", async () => {
    const server = scriptedServer({ "server/discover": (_request, own) => own.end() });
    expect(await failureOf(connect(server))).toMatchObject({ code: -32000 });
  });

  it("that supports none of the client's revisions is disconnected, the handshake unfinished [CS-36 CF-19 B1.3]", async () => {
    for (const version of ["1999-01-01", "2026-07-28", 7, undefined]) {
      const server = scriptedServer({
        "server/discover": failure(-32601),
        initialize: result({ protocolVersion: version, capabilities: {}, serverInfo }),
      });
      await expect(connect(server)).rejects.toThrow(`Unsupported protocol version from the server: ${String(version)}`);
      expect(methodsOf(server)).toEqual(["server/discover", "initialize"]);
      expect(() => server.send({ jsonrpc: "2.0", method: "x" })).toThrow("closed");
    }
  });

  it("whose result lacks a required member is disconnected [CS-24]", async () => {
    for (const answer of [
      {},
      { capabilities: {} },
      { serverInfo },
      { capabilities: [1], serverInfo },
      { capabilities: {}, serverInfo: { name: "x" } },
    ]) {
      const server = scriptedServer({
        "server/discover": failure(-32601),
        initialize: result({ protocolVersion: "2025-11-25", ...answer }),
      });
      await expect(connect(server)).rejects.toBeInstanceOf(ProtocolViolationError);
    }
  });

  it("whose handshake fails is left with its own error [CS-25]", async () => {
    const server = scriptedServer({ "server/discover": failure(-32601), initialize: failure(-32099, { retry: false }) });
    expect(await failureOf(connect(server))).toMatchObject({ code: -32099, data: { retry: false } });
  });

  it("whose handshake takes too long is disconnected without a message [XT-04 CS-23 B1.7]", async () => {
    const clock = new VirtualClock();
    const server = scriptedServer({ "server/discover": failure(-32601) });
    const connecting = failureOf(connect(server, { clock, timeout: 100 }));
    await clock.advance(100);
    expect(await connecting).toMatchObject({ code: -32001, message: expect.stringContaining("initialize") });
    expect(methodsOf(server)).toEqual(["server/discover", "initialize"]);
    expect(clock.pending).toBe(0);
  });

  it("may ping before it has responded [CS-72 XT-10]", async () => {
    const server = scriptedServer({
      "server/discover": failure(-32601),
      initialize: (request, own) => {
        own.push({ jsonrpc: "2.0", id: 0, method: "ping" });
        initialized()(request, own);
      },
    });
    await connected(server);
    await expect.poll(() => server.sent).toContainEqual({ jsonrpc: "2.0", id: 0, result: {} });
  });
});

describe("Which clients and servers can connect [B5.7]", () => {
  const stateful = { "server/discover": failure(-32601), initialize: initialized("2025-11-25") };
  const stateless = {
    "server/discover": discovered(),
    initialize: failure(-32022, { supported: ["2026-07-28"], requested: "2025-11-25" }),
  };
  const both = { "server/discover": discovered(), initialize: initialized("2025-11-25") };

  it.each([
    ["both", undefined, "both", both, "2026-07-28"],
    ["both", undefined, "stateless", stateless, "2026-07-28"],
    ["both", undefined, "stateful", stateful, "2025-11-25"],
    ["stateful", "stateful", "both", both, "2025-11-25"],
    ["stateful", "stateful", "stateful", stateful, "2025-11-25"],
    ["stateful", "stateful", "stateless", stateless, -32022],
    ["stateless", "2026-07-28", "both", both, "2026-07-28"],
    ["stateless", "2026-07-28", "stateless", stateless, "2026-07-28"],
    ["stateless", "2026-07-28", "stateful", stateful, -32601],
  ] as const)("a client of %s (revision: %s) and a server of %s", async (_client, revision, _server, replies, outcome) => {
    const server = scriptedServer(replies);
    const options: ConnectOptions = revision === undefined ? {} : { revision };
    if (typeof outcome === "string") return expect((await connected(server, options)).protocolVersion).toBe(outcome);
    expect(await failureOf(connect(server, options))).toMatchObject({ code: outcome });
    expect(() => server.send({ jsonrpc: "2.0", method: "x" })).toThrow("closed");
  });
});

describe("Asking for one revision", () => {
  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const)(
    "%s goes straight to the handshake, and to nothing else [CF-19 B1.1]",
    async (revision) => {
      const server = scriptedServer({ initialize: initialized(revision) });
      expect((await connected(server, { revision })).protocolVersion).toBe(revision);
      expect(methodsOf(server)).toEqual(["initialize", "notifications/initialized"]);
      expect(server.sent[0]!["params"]).toMatchObject({ protocolVersion: revision });
      const other = scriptedServer({ initialize: initialized(revision === "2025-11-25" ? "2025-06-18" : "2025-11-25") });
      await expect(connect(other, { revision })).rejects.toThrow(`option "revision" asks for ${revision}`);
    },
  );

  it.each(["2025-11-25", "2025-03-26"])(
    '"stateful" begins with the handshake and takes %s if the server chooses it [B1.2 B1.3]',
    async (revision) => {
      const server = scriptedServer({ initialize: initialized(revision) });
      expect((await connected(server, { revision: "stateful" })).protocolVersion).toBe(revision);
      expect(server.sent[0]).toMatchObject({ method: "initialize", params: { protocolVersion: "2025-11-25" } });
    },
  );

  it("a stateless one is probed for, and fails in the server's words [B2.6 B3.5]", async () => {
    const server = scriptedServer({ "server/discover": failure(-32601), initialize: initialized() });
    expect(await failureOf(connect(server, { revision: "2026-07-28" }))).toMatchObject({ code: -32601 });
    expect(methodsOf(server)).toEqual(PROBE);
    const other = scriptedServer({ "server/discover": discovered(["2025-11-25"]) });
    expect(await failureOf(connect(other, { revision: "2026-07-28" }))).toBeInstanceOf(UnsupportedVersionError);
  });

  it("one that does not exist is the caller's mistake [CV-08]", async () => {
    const server = scriptedServer({});
    await expect(connect(server, { revision: "1999-01-01" as ProtocolVersion })).rejects.toBeInstanceOf(RangeError);
    expect(server.sent).toEqual([]);
  });
});
