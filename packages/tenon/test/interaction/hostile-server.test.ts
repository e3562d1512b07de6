/** Servers that ask too much of a client: floods of requests, thousands of questions, pages that no host should open. */
import { describe, expect, it } from "vitest";
import type { CallOptions } from "tenon/client";
import type { McpServer, ConnectOptions, ElicitRequestParams, JsonObject } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeInProcess, describeMatrix, REVISIONS } from "../support/matrix.ts";
import { connected } from "../support/odd-server.ts";
import { failure, result } from "../support/scripted-server.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

const object = { type: "object", properties: {} };
const question = { method: "elicitation/create", params: { message: "?", requestedSchema: object } };
const many = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, question]));
const discovered = result({
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: "private",
});

describe("A flood of requests over a connection", () => {
  it.each(REVISIONS)("ends the connection, and calls say why, %s", async (revision) => {
    const initialize = result({ protocolVersion: revision, capabilities: {}, serverInfo: { name: "s", version: "1" } });
    const replies = revision === "2026-07-28" ? { "server/discover": discovered } : { initialize };
    const clock = new VirtualClock();
    const { client, server, errors } = await connected(replies, { revision, clock, limits: { maxRequestRate: 3 } });
    const call = failureOf(client.callTool("t"));
    for (let id = 0; id < 50; id++) server.push({ jsonrpc: "2.0", id, method: "ping" });
    expect(await call).toMatchObject({ message: "Connection closed", cause: { limit: "limits.maxRequestRate", max: 3 } });
    await client.closed;
    expect(errors.filter((error) => "limit" in error)).toHaveLength(1);
    expect(server.sent.filter(({ method }) => method === undefined)).toHaveLength(revision === "2026-07-28" ? 0 : 3);
  });

  it("counts requests that are refused as busy too", async () => {
    const { client, server } = await connected(
      {},
      { clock: new VirtualClock(), limits: { maxInFlight: 2 }, onElicit: () => new Promise<never>(() => undefined) },
    );
    for (let id = 0; id < 2_000; id++) server.push({ jsonrpc: "2.0", id, ...question });
    await client.closed;
    expect(server.sent).toHaveLength(498); // 500, without the two that wait for their user
  });

  it("is no flood if it comes as fast as the limit says", async () => {
    const clock = new VirtualClock();
    const { server } = await connected({}, { clock, limits: { maxRequestRate: 10 } });
    for (let second = 0; second < 3; second++) {
      for (let id = 0; id < 10; id++) server.push({ jsonrpc: "2.0", id, method: "ping" });
      await clock.advance(1_000);
    }
    expect(server.sent).toHaveLength(30);
  });

  it("a rate below one is refused", async () => {
    await expect(connected({}, { limits: { maxRequestRate: 0 } })).rejects.toThrow(
      '"limits.maxRequestRate" must be a number >= 1',
    );
  });
});

describeMatrix(
  "More questions in one result than a client answers",
  ({ connect }) => {
    it("none is asked, and the call fails with the limit", async () => {
      const server = testServer({ onError: () => undefined });
      server.tool("t", {}, () => "never called");
      let count = 257;
      // questions as a program without types writes them
      server.use("tools/call", () => () => ({ resultType: "input_required", inputRequests: many(count) }) as never);
      let asked = 0;
      const client = await connect(server, { onElicit: () => (asked++, { action: "accept" }), limits: { maxRounds: 1 } });
      const failed = await failureOf(client.callTool("t").catch((error: Error) => Promise.reject(error.cause as Error)));
      expect(failed).toMatchObject({ message: 'Limit "limits.maxInFlight" of 256 exceeded (257)' });
      expect(asked).toBe(0);
      count = 256;
      await expect(client.callTool("t")).rejects.toMatchObject({ limit: "limits.maxRounds" });
      expect(asked).toBe(256);
    });
  },
  ["2026-07-28"],
);

describe("More pages in one refusal than a client opens", () => {
  it("none is opened, and the call fails with the limit", async () => {
    const elicitations = [1, 2, 3].map((id) => ({
      mode: "url",
      message: "?",
      url: "https://a.example/",
      elicitationId: String(id),
    }));
    let asked = 0;
    const { client } = await connected(
      { "tools/call": failure(-32042, { elicitations }) },
      { limits: { maxInFlight: 2 }, onElicit: () => (asked++, { action: "accept" }) },
    );
    expect(await failureOf(client.callTool("t"))).toMatchObject({ limit: "limits.maxInFlight", max: 2 });
    expect(asked).toBe(0);
  });
});

const EVIL = [
  "javascript:alert(1)",
  "java\nscript:alert(1)",
  "file:///etc/passwd",
  "data:text/html,x",
  "vscode://run",
  "/login",
  "",
];

describeMatrix(
  "A page that no host should open",
  ({ connect }) => {
    const asking = (): { server: McpServer; urls: string[]; onElicit: NonNullable<ConnectOptions["onElicit"]> } => {
      const server = testServer({ onError: () => undefined });
      server.tool("t", {}, async ({ url }, ctx) => {
        try {
          return await ctx.elicitUrl("page", { message: "?", url: String(url) });
        } catch (error) {
          return (error as Error).message;
        }
      });
      const urls: string[] = [];
      const onElicit = (params: ElicitRequestParams): { action: "accept" } => {
        urls.push((params as { url: string }).url);
        return { action: "accept" };
      };
      return { server, urls, onElicit };
    };
    /** The message of the refusal, to the server or to the caller. */
    const outcome = (call: Promise<{ text: string }>): Promise<string> =>
      call.then(
        ({ text }) => text,
        (error: Error) => (error.cause as Error).message,
      );

    it.each(EVIL)("%j is refused before the host sees it", async (url) => {
      const { server, urls, onElicit } = asking();
      const client = await connect(server, { onElicit });
      expect(await outcome(client.callTool("t", { url }))).toContain('of: https:, http: (option "elicitationSchemes")');
      expect(urls).toEqual([]);
    });

    it("https: and http: are opened, others if the host says so", async () => {
      const { server, urls, onElicit } = asking();
      const client = await connect(server, { onElicit });
      for (const url of ["https://a.example/", "HTTP://a.example/b"])
        expect(await outcome(client.callTool("t", { url }))).toBe("accept");
      const host = await connect(server, { onElicit, elicitationSchemes: ["vscode"] });
      expect(await outcome(host.callTool("t", { url: "vscode://run" }))).toBe("accept");
      expect(await outcome(host.callTool("t", { url: "https://a.example/" }))).toContain("of: vscode: (option");
      expect(urls).toEqual(["https://a.example/", "HTTP://a.example/b", "vscode://run"]);
    });
  },
  ["2025-11-25", "2026-07-28"],
);

describe("A page that no host should open, in a refusal (-32042)", () => {
  it("is not opened, and the caller gets the refusal", async () => {
    const elicitations = [{ mode: "url", message: "?", url: "javascript:alert(1)", elicitationId: "1" }];
    const { client, errors } = await connected(
      { "tools/call": failure(-32042, { elicitations }) },
      { onElicit: () => expect.unreachable("the host is asked") },
    );
    expect(await failureOf(client.callTool("t"))).toMatchObject({ code: -32042 });
    expect(errors).toMatchObject([{ code: -32602, message: expect.stringContaining("elicitationSchemes") }]);
  });
});

describeInProcess(
  "A result that asks for nothing, again and again",
  ({ connect }) => {
    /** A client of such a server, and the outcome of its call after that much time. */
    const after = async (ms: number, options: CallOptions, patience = 100, asking: JsonObject = {}): Promise<unknown> => {
      const clock = new VirtualClock();
      const server = testServer({ onError: () => undefined });
      server.tool("t", {}, () => "never called");
      let left = patience;
      server.use(
        "tools/call",
        () => () =>
          left-- > 0
            ? { resultType: "input_required", requestState: "s", ...asking }
            : { content: [{ type: "text", text: "done" }] },
      );
      const client = await connect(server, { clock, limits: { maxRounds: 100 } });
      let outcome: unknown = "nothing yet";
      const settled = client.callTool("t", {}, options).then(
        ({ text }) => (outcome = text),
        (error: Error) => (outcome = error.message),
      );
      for (let passed = 0; passed < ms; passed++) await clock.advance(1);
      if (outcome !== "nothing yet") await settled;
      return outcome;
    };
    const timedOut = (ms: number, option: string): unknown => expect.stringMatching(new RegExp(`${ms} ms.*"${option}"`));

    it("is bounded by the timeout of the call, pauses included", async () => {
      expect(await after(299, { timeout: 300 })).toBe("nothing yet");
      expect(await after(310, { timeout: 300 })).toEqual(timedOut(300, "timeout"));
    });

    it("is the same with an empty set of questions", async () => {
      expect(await after(299, { timeout: 300 }, 100, { inputRequests: {} })).toBe("nothing yet");
      expect(await after(310, { timeout: 300 }, 100, { inputRequests: {} })).toEqual(timedOut(300, "timeout"));
    });

    it("is bounded by the total time of the call, pauses included", async () => {
      expect(await after(210, { timeout: 1_000, maxTotalTimeout: 200 })).toEqual(timedOut(200, "maxTotalTimeout"));
    });

    it("ends well if the server makes up its mind in time", async () => {
      expect(await after(360, { timeout: 400 }, 3)).toBe("done");
    });
  },
  ["2026-07-28"],
);
