/** What the servers of a mounted group ask: the client of the call answers if it can, else the callbacks of the group. */
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import {
  McpError,
  type McpServer,
  UrlElicitationRequiredError,
  type Client,
  type ConnectOptions,
  type ProtocolVersion,
} from "tenon";
import { only, rename } from "tenon/compose";
import { ClientSessionGroup, type GroupOptions } from "tenon/group";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const seats = z.object({ seats: z.number() });
const model = (text: string) => ({ model: "m", role: "assistant", content: { type: "text", text } }) as const;

/** Answers every question with `name`. */
function answering(name: string, count: number): Pick<ConnectOptions & GroupOptions, "onElicit" | "onSample" | "roots"> {
  return {
    onElicit: ({ message }) =>
      message.startsWith("No") ? { action: "decline" } : { action: "accept", content: { seats: count } },
    onSample: () => model(name),
    roots: [{ uri: `file:///${name}` }],
  };
}

/** A server that asks, in tools and in a prompt. */
function createUpstream(): McpServer {
  const server = testServer({ name: "upstream", onError: () => undefined });
  server.tool("book", { input: z.object({ message: z.string().default("How many?") }) }, async ({ message }, ctx) => {
    const first = await ctx.elicit("seats", { message, schema: seats });
    if (first.action !== "accept") return first.action;
    const second = await ctx.elicit("again", { message: "How many, again?", schema: seats });
    return `${first.content.seats} and ${second.content?.seats}`;
  });
  server.tool("ask_model", {}, async (_input, ctx) => {
    const { content } = await ctx.sample("s", {
      messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
      maxTokens: 9,
    });
    return content.type === "text" ? content.text : "";
  });
  server.tool("list_roots", {}, async (_input, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  server.prompt(
    "greet",
    {},
    async (_input, ctx) => `${(await ctx.elicit("seats", { message: "How many?", schema: seats })).content?.seats}`,
  );
  return server;
}

/** A server that mounts a group of that upstream server, whose callbacks answer with "group" and 1. */
async function createFront(
  revision: ProtocolVersion,
  options: GroupOptions = {},
  upstream = createUpstream(),
): Promise<McpServer> {
  const entry = { target: upstream, revision };
  const group = await ClientSessionGroup.connect(
    { up: entry },
    { ...answering("group", 1), readyTimeout: Infinity, onServerError: () => undefined, ...options },
  );
  onTestFinished(() => group.close());
  const server = testServer({ name: "front", onError: () => undefined });
  server.mount("g", group);
  return server;
}

const call = async (client: Client, name: string, args = {}): Promise<string> =>
  (await client.callTool(`g__up__${name}`, args)).text;

describe.each<ProtocolVersion>(["2025-11-25", "2026-07-28"])("a group over %s", (upstream) => {
  describeMatrix("The questions of a mounted group", ({ connect, since, stateless }) => {
    it("reach the client of the call", async () => {
      const client = await connect(await createFront(upstream), answering("client", 2));
      expect([await call(client, "ask_model"), await call(client, "list_roots")]).toEqual(["client", "file:///client"]);
      const { messages } = await client.getPrompt("g__up__greet");
      const text = messages.map(({ content }) => "text" in content && content.text);
      // Revisions without elicitation: the group answers.
      if (!since("2025-06-18")) return expect([await call(client, "book"), text]).toEqual(["1 and 1", ["1"]]);
      expect([await call(client, "book"), text]).toEqual(["2 and 2", ["2"]]);
      expect(await call(client, "book", { message: "No?" })).toBe("decline");
    });

    it("reach the callbacks of the group if the client cannot answer", async () => {
      const client = await connect(await createFront(upstream));
      const answers = [await call(client, "book"), await call(client, "ask_model"), await call(client, "list_roots")];
      expect(answers).toEqual(["1 and 1", "group", "file:///group"]);
    });

    it("are not asked if the group has no callback for them", async () => {
      const front = await createFront(upstream, { onElicit: undefined as never, roots: undefined as never });
      const client = await connect(front, answering("client", 2));
      expect(await call(client, "ask_model")).toBe("client");
      expect((await failureOf(client.callTool("g__up__book"))).message).toMatch(/client|Client/);
    });

    it("bring the client's error to the server that asks", async () => {
      const upstreamServer = createUpstream();
      const errors: string[] = [];
      upstreamServer.tool("try", {}, async (_input, ctx) => {
        const refusal: unknown = await ctx.roots().catch((error: unknown) => error);
        errors.push((refusal as Error).message);
        return "tried";
      });
      const front = await createFront(upstream, {}, upstreamServer);
      const client = await connect(front, {
        roots: () => {
          throw new McpError(-32000, "Not today");
        },
      });
      const outcome = await client.callTool("g__up__try").catch((error: Error) => error);
      // Only a request can have an error for a response: if one of the two asks in results, the call fails instead.
      const isLive = upstream === "2025-11-25" && !stateless;
      expect(errors).toEqual(isLive ? ["Not today"] : []);
      expect(outcome instanceof Error || outcome.isError).toBe(!isLive);
    });
  });

  describeMatrix(
    "Clients of a mounted group at the same time",
    ({ connect }) => {
      it("get no question of another one's call", async () => {
        const upstreamServer = createUpstream();
        let arrived = 0;
        const { opened: all, open } = gate();
        upstreamServer.tool("meet", {}, async (_input, ctx) => {
          // All calls are there before one of them asks.
          await ctx.step("arrive", async () => {
            if (++arrived === 2) open();
            await all;
            return true;
          });
          return (await ctx.roots()).map(({ uri }) => uri).join();
        });
        const front = await createFront(upstream, {}, upstreamServer);
        const clients = await Promise.all(["ada", "bob"].map((name) => connect(front, answering(name, 1))));
        const answers = await Promise.all(clients.map((client) => call(client, "meet")));
        // A request of a server on a stateful revision does not say which call it is about: the group answers.
        expect(answers).toEqual(upstream === "2026-07-28" ? ["file:///ada", "file:///bob"] : ["file:///group", "file:///group"]);
        expect(await call(clients[0]!, "list_roots")).toBe("file:///ada");
      });
    },
    ["2025-11-25", "2026-07-28"],
  );
});

describeMatrix(
  "Pages of a mounted group",
  ({ connect }) => {
    const page = { mode: "url", message: "Log in", url: "https://example.com/login" } as const;

    it.each<ProtocolVersion>(["2025-11-25", "2026-07-28"])(
      "are opened by the client of the call, which a server over %s asks for",
      async (upstream) => {
        const server = testServer({ name: "upstream", onError: () => undefined });
        server.tool("visit", {}, async (_input, ctx) => ctx.elicitUrl("login", { message: page.message, url: page.url }));
        const front = await createFront(upstream, { onElicit: () => ({ action: "cancel" }) }, server);
        const seen: unknown[] = [];
        const onElicit: ConnectOptions["onElicit"] = (params) => {
          seen.push([params.mode, "url" in params && params.url]);
          return { action: "accept" };
        };
        expect(await call(await connect(front, { onElicit }), "visit")).toBe("accept");
        expect(seen).toEqual([["url", page.url]]);
        // A client that opens no pages leaves them to the group.
        expect(await call(await connect(front, { onElicit, elicitationModes: ["form"] }), "visit")).toBe("cancel");
      },
    );

    it("are opened too if the server refuses the call until then (-32042)", async () => {
      const server = testServer({ name: "upstream", onError: () => undefined });
      let calls = 0;
      let done = (): unknown => undefined;
      server.tool("visit", {}, (_input, ctx) => {
        done = () => ctx.session.standalone.sendElicitComplete("e1");
        if (++calls === 1) throw new UrlElicitationRequiredError([{ ...page, elicitationId: "e1" }]);
        return "welcome";
      });
      const front = await createFront("2025-11-25", { onElicit: () => ({ action: "decline" }) }, server);
      const onElicit: ConnectOptions["onElicit"] = async (params) => {
        await done();
        return params.mode === "url" && params.url === page.url ? { action: "accept" } : { action: "decline" };
      };
      expect(await call(await connect(front, { onElicit }), "visit")).toBe("welcome");
      expect(calls).toBe(2);
    });
  },
  ["2025-11-25", "2026-07-28"],
);

describeMatrix("A source made from a group", ({ connect, since }) => {
  it("asks the client too", async () => {
    const group = await ClientSessionGroup.connect(
      { up: createUpstream() },
      { ...answering("group", 1), readyTimeout: Infinity },
    );
    onTestFinished(() => group.close());
    const middle = testServer({ name: "middle" });
    middle.mount(
      "m",
      rename(only(group, { names: ["up__book", "up__ask_model"] }), ({ id }) => id.replace("up__", "")),
    );
    const outer = testServer({ name: "outer" });
    outer.mount("o", middle);
    const client = await connect(outer, answering("client", 2));
    expect((await client.callTool("o__m__ask_model")).text).toBe("client");
    expect((await client.callTool("o__m__book")).text).toBe(since("2025-06-18") ? "2 and 2" : "1 and 1");
    expect((await failureOf(client.callTool("o__m__list_roots"))).message).toContain("Unknown tool");
  });
});
