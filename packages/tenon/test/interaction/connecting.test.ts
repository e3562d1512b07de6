/** Connecting that is cancelled at every point, programs that exit when asked, and what handlers can send besides results. */
import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { connect, McpError, McpServer, SUPPORTED_PROTOCOL_VERSIONS, ToolError, type JsonObject } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeInProcess, open } from "../support/matrix.ts";
import { result, scriptedServer } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

describeInProcess("Giving up to connect", ({ connect: connectTo }) => {
  it("after any number of steps: the reason or a client, nothing left behind [XT-20 CS-07 CL-07]", async () => {
    const reason = new Error("not today");
    let connected = 0;
    for (let steps = 0; steps < 60; steps++) {
      const clock = new VirtualClock();
      const server = new McpServer({ name: "s", version: "1" }, { lifespan: () => Promise.resolve(), clock });
      const abort = new AbortController();
      const connecting = connectTo(server, { clock, signal: abort.signal }, { clock }).then(
        (client) => client,
        (error: unknown) => error,
      );
      for (let step = 0; step < steps; step++) await Promise.resolve();
      abort.abort(reason);
      const outcome = await connecting;
      if (outcome !== reason) {
        connected++;
        // Once it is connected the signal has no effect any more.
        expect(await failureOf((outcome as Awaited<ReturnType<typeof connect>>).request("no/such"))).toMatchObject({
          code: -32601,
        });
        await (outcome as AsyncDisposable)[Symbol.asyncDispose]();
      }
      await server.close();
      await clock.advance(0);
      expect(clock.pending).toBe(0);
    }
    expect(connected).toBeGreaterThan(0);
    expect(connected).toBeLessThan(60);
  });
});

describe("A program to start", () => {
  /** Leaves with `code` when it is asked for its revision, as servers in Rust do, but shakes hands. */
  const leaving = (code: number): string => `
    const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (method === "server/discover") {
        if (${code} !== 0) console.error("Error: expect initialized request");
        process.exit(${code});
      }
      const serverInfo = { name: "leaving", version: String(process.pid) };
      if (method === "initialize") answer(id, { protocolVersion: "2025-03-26", capabilities: {}, serverInfo });
      if (method === "ping") answer(id, {});
    });`;

  it.each([0, 1])("that exits with %i when it is asked is started again, for the handshake alone [B3.4]", async (code) => {
    const client = await connect({ command: process.execPath, args: ["-e", leaving(code)], stderr: "pipe" });
    expect(client).toMatchObject({ protocolVersion: "2025-03-26", serverInfo: { name: "leaving" } });
    await client.ping();
    await client.close();
  });

  it("that always exits is not started for ever [B3.4]", async () => {
    const error = await failureOf(connect({ command: process.execPath, args: ["-e", "process.exit(3)"] }));
    expect(error).toMatchObject({ code: -32000, data: { exitCode: 3 } });
  });

  it("that does not exist is a specific error, at once [ST-10]", async () => {
    await expect(connect({ command: "/no/such/program" })).rejects.toMatchObject({
      message: expect.stringContaining("/no/such/program"),
    });
  });
});

describe("What a handler can send besides its result", () => {
  it("that a page was completed, if the revision has the notification [SS-71 L1.8]", async () => {
    const server = testServer();
    server.tool("done", {}, async (_input, context) => {
      await context.notify("notifications/elicitation/complete", { elicitationId: "e" });
      return "";
    });
    for (const revision of SUPPORTED_PROTOCOL_VERSIONS) {
      const heard: unknown[] = [];
      const client = await open("memory", server, { revision, onMessage: (message) => void heard.push(message) });
      await client.callTool("done");
      expect(heard).toEqual(
        revision === "2025-11-25" ? [{ method: "notifications/elicitation/complete", params: { elicitationId: "e" } }] : [],
      );
      await client.close();
    }
  });

  it("a tool's own words that cannot be written are an internal error that names the tool [F12]", async () => {
    const reports: unknown[] = [];
    const server = testServer({ onError: (error) => void reports.push(error) });
    server.tool("odd", {}, () => {
      throw new ToolError("Sorry", { structuredContent: { n: 1n } });
    });
    const client = await open("memory", server, { revision: "2025-11-25" });
    expect(await failureOf(client.callTool("odd"))).toMatchObject({ code: -32603, message: expect.stringContaining("odd") });
    expect(reports).toMatchObject([{ cause: { name: "TypeError" } }]);
    await client.close();
  });

  it("in one process a handler runs in the context of its caller [XT-24]", async () => {
    const storage = new AsyncLocalStorage<string>();
    const server = testServer();
    server.tool("who", {}, async () => {
      await turn();
      return String(storage.getStore());
    });
    const client = await connect(server);
    const call = (name: string): Promise<string> => storage.run(name, async () => (await client.callTool("who")).text);
    expect(await Promise.all([call("Ada"), call("Grace")])).toEqual(["Ada", "Grace"]);
    await client.close();
  });
});

describe("Any response of a server", () => {
  const member = fc.oneof(
    fc.constantFrom("complete", "input_required", "task", "text", "a", null, 1, true),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const body = fc.dictionary(
    fc.constantFrom(
      "tools",
      "resources",
      "prompts",
      "content",
      "contents",
      "messages",
      "resultType",
      "nextCursor",
      "structuredContent",
      "isError",
      "_meta",
      "completion",
    ),
    fc.oneof(
      member,
      fc.array(
        fc.dictionary(fc.constantFrom("name", "type", "text", "uri", "inputSchema", "outputSchema", "role", "content"), member),
        {
          maxLength: 2,
        },
      ),
    ),
  );

  it("each call settles with a result of the right shape or an error of Tenon [CS-24 XT-20]", async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom("2025-06-18" as const, "2026-07-28" as const), async (answer, revision) => {
        const reply = result(answer as JsonObject);
        const facts = { capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } };
        const server = scriptedServer({
          initialize: result({ protocolVersion: revision, ...facts }),
          "server/discover": result({
            resultType: "complete",
            supportedVersions: [revision],
            ttlMs: 0,
            cacheScope: "private",
            ...facts,
          }),
          ...Object.fromEntries(
            [
              "tools/list",
              "tools/call",
              "resources/list",
              "resources/read",
              "prompts/list",
              "prompts/get",
              "completion/complete",
            ].map((method) => [method, reply]),
          ),
        });
        const client = await connect(server, { revision });
        const calls = [
          client.listTools(),
          client.callTool("t"),
          client.listResources(),
          client.readResource("a://b"),
          client.listPrompts(),
          client.getPrompt("p"),
        ];
        const outcomes = await Promise.allSettled(calls);
        await client.close();
        const [tools, called] = outcomes;
        if (tools!.status === "fulfilled")
          expect(
            (tools!.value as { tools: unknown[] }).tools.every((tool) => typeof (tool as { name: unknown }).name === "string"),
          ).toBe(true);
        if (called!.status === "fulfilled") expect(Array.isArray((called!.value as { content: unknown }).content)).toBe(true);
        for (const outcome of outcomes) {
          if (outcome.status === "fulfilled") continue;
          const { name } = outcome.reason as Error;
          expect(
            McpError.isMcpError(outcome.reason) || name === "InputRequiredError" || name === "ToolOutputValidationError",
          ).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
