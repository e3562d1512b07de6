/** Nested answers: a callback calls a tool, whose handler asks again. */
import { describe, expect, it } from "vitest";
import { connect as connectTo, InputRequiredError, McpError, type McpServer, type Client, type ConnectOptions } from "tenon";
import { describeAsking } from "./ways.ts";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const FORM = { type: "object", properties: { said: { type: "string" } } } as const;

/** Asks one level deeper, to the bottom. */
function serverGoingDown(bottom: number, told: unknown[]): McpServer {
  const server = testServer({ onError: (error) => void told.push(error) });
  server.tool("down", {}, async (input, ctx) => {
    const depth = input["depth"] as number;
    if (depth === bottom) return "bottom";
    const { content } = await ctx.elicit("deeper", { message: String(depth), schema: FORM });
    return `${depth} ${content?.said ?? "nothing"}`;
  });
  return server;
}

/** Answers by calling the tool one level deeper, on the same client. */
function answeringByCalls(client: () => Client, told: unknown[]): NonNullable<ConnectOptions["onElicit"]> {
  return async ({ message }) => {
    await new Promise((resolve) => setImmediate(resolve));
    try {
      const { text } = await client().callTool("down", { depth: Number(message) + 1 });
      return { action: "accept", content: { said: text } };
    } catch (error) {
      told.push(error instanceof InputRequiredError ? error.cause : error);
      return { action: "decline" };
    }
  };
}

describeAsking("Answers in answers", ({ connect }) => {
  it.each([
    { options: {}, max: 8 },
    { options: { limits: { maxDepth: 1 } }, max: 1 },
  ])(
    "are refused beyond a depth of $max, by the name of the limit, and all calls above continue [D16]",
    async ({ options, max }) => {
      const told: unknown[] = [];
      const server = serverGoingDown(Infinity, told);
      const client = await connect(server, { ...options, onElicit: answeringByCalls(() => client, told) });
      const above = Array.from({ length: max }, (_, depth) => depth).join(" ");
      const refused = expect.objectContaining({ code: -32600, data: { limit: "limits.maxDepth", max } }) as unknown;
      expect((await client.callTool("down", { depth: 0 })).text).toBe(`${above} nothing`);
      expect(told).toEqual([refused]);
      // nothing of the first chain is counted any more
      expect((await client.callTool("down", { depth: 0 })).text).toBe(`${above} nothing`);
      expect(told).toEqual([refused, refused]);
    },
  );

  it("are counted while any call of the callback above is pending, even if another one has ended [D16]", async () => {
    const told: unknown[] = [];
    const server = serverGoingDown(6, told);
    const plainIsOver = Array.from({ length: 3 }, () => deferred<void>());
    server.use((next) => async (ctx) => {
      const { depth } = (ctx.params["arguments"] ?? {}) as { depth?: number };
      if (depth !== undefined && depth > 0) await plainIsOver[depth]?.promise; // before this one asks
      return next(ctx);
    });
    server.tool("plain", {}, () => "plain");
    const further = answeringByCalls(() => client, told);
    const client: Client = await connect(server, {
      limits: { maxDepth: 2 },
      onElicit: async (params, context) => {
        const answer = further(params, context);
        for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve));
        await client.callTool("plain");
        plainIsOver[Number(params.message) + 1]?.resolve(undefined);
        return answer;
      },
    });
    expect((await client.callTool("down", { depth: 0 })).text).toBe("0 1 nothing");
    expect(told).toEqual([expect.objectContaining({ code: -32600, data: { limit: "limits.maxDepth", max: 2 } })]);
  });

  it("are answered as deep as the client allows [D16]", async () => {
    const told: unknown[] = [];
    const client = await connect(serverGoingDown(10, told), {
      limits: { maxDepth: 10 },
      onElicit: answeringByCalls(() => client, told),
    });
    expect((await client.callTool("down", { depth: 0 })).text).toBe("0 1 2 3 4 5 6 7 8 9 bottom");
    expect(told).toEqual([]);
  });

  it("are refused at the same depth if all answers so far came at once [D16]", async () => {
    const told: unknown[] = [];
    let byCalls = false;
    const client: Client = await connect(serverGoingDown(Infinity, told), {
      limits: { maxDepth: 3 },
      onElicit: (params, context) => (byCalls ? answer(params, context) : { action: "accept", content: { said: "at once" } }),
    });
    const answer = answeringByCalls(() => client, told);
    for (let i = 0; i < 3; i++) expect((await client.callTool("down", { depth: 0 })).text).toBe("0 at once");
    byCalls = true;
    for (let i = 0; i < 2; i++) expect((await client.callTool("down", { depth: 0 })).text).toBe("0 1 2 nothing");
    const refused = expect.objectContaining({ code: -32600, data: { limit: "limits.maxDepth", max: 3 } }) as unknown;
    expect(told).toEqual([refused, refused]);
    byCalls = false;
    expect((await client.callTool("down", { depth: 0 })).text).toBe("0 at once");
  });

  it("count what is nested: not questions in sequence or beside each other, nor what a callback left running [D16]", async () => {
    const server = testServer();
    server.tool("ask", {}, async (_input, ctx) => {
      const answers = [];
      for (const key of ["a", "b", "c"]) answers.push((await ctx.elicit(key, { message: key, schema: FORM })).action);
      return answers.join(" ");
    });
    server.tool("plain", {}, () => "plain");
    const left: Promise<string>[] = [];
    const client = await connect(server, {
      limits: { maxDepth: 1 },
      onElicit: () => {
        const later = new Promise((resolve) => setTimeout(resolve)).then(() => client.callTool("plain"));
        left.push(later.then(({ text }) => text));
        return { action: "accept", content: {} };
      },
    });
    const calls = await Promise.all([1, 2, 3].map(() => client.callTool("ask")));
    expect(calls.map(({ text }) => text)).toEqual(Array(3).fill("accept accept accept"));
    expect(new Set(await Promise.all(left))).toEqual(new Set(["plain"]));
  });
});

describeAsking("Models that call tools", ({ connect }) => {
  it("go round no more often than the client allows, and what one was asked is not there for the next [L2.6 D16]", async () => {
    const server = testServer({ onError: () => undefined });
    server.tool("think", {}, async (input, ctx) => {
      const text = String(input["turn"]);
      const { content } = await ctx.sample("next", {
        messages: [{ role: "user", content: { type: "text", text } }],
        maxTokens: 1,
      });
      return content.type === "text" ? content.text : "";
    });
    const asked: unknown[] = [];
    const client: Client = await connect(server, {
      limits: { maxDepth: 3 },
      onSample: async ({ messages }) => {
        asked.push(messages);
        const said = await client.callTool("think", { turn: asked.length }).then(
          ({ text }) => text,
          () => "refused",
        );
        return { model: "m", role: "assistant", content: { type: "text", text: said } };
      },
    });
    expect((await client.callTool("think", { turn: 0 })).text).toBe("refused");
    expect(asked).toEqual([0, 1, 2].map((turn) => [{ role: "user", content: { type: "text", text: String(turn) } }]));
  });
});

describeAsking("A user who lets a server ask the model once", ({ connect }) => {
  it("refuses the next question in words that reach the call; the client goes on [L2.6]", async () => {
    const server = testServer({ onError: () => undefined });
    server.tool("think", {}, async (_input, ctx) => {
      const content = { type: "text", text: "?" } as const;
      await ctx.sample("next", { messages: [{ role: "user", content }], maxTokens: 1 });
      return "thought";
    });
    let asked = 0;
    const client = await connect(server, {
      onSample: () => {
        if (++asked > 1) throw new McpError(-1, "The user refused");
        return { model: "m", role: "assistant", content: { type: "text", text: "!" } };
      },
    });
    const think = (): Promise<string> => client.callTool("think").then(({ text }) => text, String);
    expect(await think()).toBe("thought");
    expect(await think()).toContain("The user refused");
    expect(asked).toBe(2);
    expect((await client.listTools()).tools).toHaveLength(1);
  });
});

describe("The depth of answers", () => {
  it("is at least one [D16]", async () => {
    const connecting = connectTo(testServer(), { limits: { maxDepth: 0 } });
    await expect(connecting).rejects.toThrow(/"limits\.maxDepth" must be a number >= 1/);
  });
});
