/** Questions and requests of servers: elicitation, sampling, roots, ping; and what happens with odd answers. */
import { expect, it } from "vitest";
import {
  McpError,
  type McpServer,
  NoBackChannelError,
  type ClientCapabilities,
  type ConnectOptions,
  type CreateMessageResult,
  type ElicitRequestedSchema,
  type ElicitRequestParams,
  type ElicitResult,
  type RequestContext,
} from "tenon";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const answer: CreateMessageResult = { role: "assistant", content: { type: "text", text: "42" }, model: "m" };
const message = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "?" } }], maxTokens: 10 };
const form: ElicitRequestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

/** A server whose one tool asks, and returns the outcome. */
function serverAsking(ask: (context: RequestContext) => Promise<unknown>): McpServer {
  const server = testServer({ onError: () => undefined });
  server.tool("ask", {}, async (_input, context) => {
    try {
      return { answered: await ask(context) };
    } catch (error) {
      const { code, message, data } = error as McpError;
      return { code, message, data, channel: error instanceof NoBackChannelError };
    }
  });
  return server;
}

describeMatrix("Asking the client", ({ connect, since, stateless, revision }) => {
  async function asked(ask: (context: RequestContext) => Promise<unknown>, options: ConnectOptions): Promise<unknown> {
    const client = await connect(serverAsking(ask), options);
    return JSON.parse((await client.callTool("ask")).text);
  }
  const missing = { code: -32600, channel: true };

  it("lets the client's model answer [CS-73 CS-74 XT-13 SS-77 L2.5]", async () => {
    const contexts: unknown[] = [];
    const result = asked(({ session }) => session.createMessage({ ...message, _meta: { "x/y": 1 } }), {
      onSample: (params, { requestId, meta, signal }) => {
        contexts.push({ id: typeof requestId, meta, aborted: signal.aborted, tokens: params.maxTokens });
        return answer;
      },
    });
    expect(await result).toEqual(stateless ? expect.objectContaining(missing) : { answered: answer });
    expect(contexts).toEqual(stateless ? [] : [{ id: "number", meta: { "x/y": 1 }, aborted: false, tokens: 10 }]);
  });

  it("with tools, or with a tool choice alone, the model may answer with several blocks [CF-13]", async () => {
    const several = {
      ...answer,
      content: [
        { type: "text" as const, text: "4" },
        { type: "text" as const, text: "2" },
      ],
    };
    for (const offer of [{ tools: [] }, { toolChoice: { mode: "none" as const } }]) {
      const options = { samplingCapabilities: { tools: {} }, onSample: () => several };
      const result = await asked(({ session }) => session.createMessage({ ...message, ...offer }), options);
      const can = since("2025-11-25") && !stateless;
      if (can) expect(result).toEqual({ answered: several });
      else expect(result).toMatchObject({ code: expect.any(Number) as number });
    }
  });

  it("asks the user to fill in a form [SS-74 CF-16 L1.1 L1.3]", async () => {
    const modes: unknown[] = [];
    const result = asked(({ session }) => session.elicitForm({ message: "Who?", requestedSchema: form }), {
      onElicit: async (params) => {
        modes.push(params.mode ?? "form");
        expect(params).toMatchObject({ requestedSchema: form });
        await Promise.resolve();
        return { action: "accept", content: { name: "Ada" } };
      },
    });
    const can = since("2025-06-18") && !stateless;
    expect(await result).toEqual(
      can ? { answered: { action: "accept", content: { name: "Ada" } } } : expect.objectContaining(missing),
    );
    expect(modes).toEqual(can ? ["form"] : []);
  });

  it("sends the user to a page on 2025-11-25, and fails before anything is written elsewhere [SS-75 L1.7 CF-15]", async () => {
    const pages: unknown[] = [];
    const result = asked(
      ({ session }) => session.elicitUrl({ message: "Pay", url: "https://example.com/pay", elicitationId: "e" }),
      {
        onElicit: (params) => {
          pages.push(params);
          return { action: "accept" };
        },
      },
    );
    if (revision === "2025-11-25") {
      expect(await result).toEqual({ answered: { action: "accept" } });
      expect(pages).toEqual([{ mode: "url", message: "Pay", url: "https://example.com/pay", elicitationId: "e" }]);
    } else {
      expect(await result).toMatchObject({ code: revision === "2025-06-18" ? -32021 : -32600 });
      expect(pages).toEqual([]);
    }
  });

  it("a question that the revision does not have fails as one that the client cannot answer, and says so [CF-16]", async () => {
    const asks = async (): Promise<unknown> => {
      let questions = 0;
      const result = await asked((context) => context.confirm("sure", "Are you sure?"), {
        onElicit: () => ((questions += 1), { action: "accept", content: { confirm: true } }),
      });
      return { result, questions };
    };
    if (since("2025-06-18") || stateless) return expect(await asks()).toEqual({ result: { answered: true }, questions: 1 });
    const message = `The client does not support "elicitation/create": revision ${revision}, which it speaks, does not have it`;
    const data = { requiredCapabilities: { elicitation: { form: {} } } };
    return expect(await asks()).toEqual({ result: { code: -32021, message, data, channel: false }, questions: 0 });
  });

  it("asks for roots, given as a list or by a function [SS-76 L3.1 CS-33]", async () => {
    const roots = [{ uri: "file:///work", name: "work" }];
    for (const given of [roots, () => roots, () => Promise.resolve(roots)]) {
      const result = await asked(({ session }) => session.listRoots(), { roots: given });
      expect(result).toEqual(stateless ? expect.objectContaining(missing) : { answered: { roots } });
    }
  });

  it("pings the client if the revision lets a server send requests [SS-70 XT-13 A1.10 requirement G9]", async () => {
    const result = await asked(async ({ session }) => {
      await session.ping();
      return "pong";
    }, {});
    expect(result).toEqual(stateless ? expect.objectContaining(missing) : { answered: "pong" });
  });

  it("what the client did not declare is not asked [CS-80 A6.1 L1.1 L2.1]", async () => {
    const asks = [
      ({ session }: RequestContext) => session.createMessage(message),
      ({ session }: RequestContext) => session.listRoots(),
      ({ session }: RequestContext) => session.elicitForm({ message: "", requestedSchema: form }),
    ];
    for (const [index, ask] of asks.entries()) {
      const can = !stateless && (index < 2 || since("2025-06-18"));
      expect(await asked(ask, {})).toMatchObject(can ? { code: -32021, channel: false } : missing);
    }
  });

  it("capabilities are those the client was given callbacks for [SS-41 SS-51 XT-14]", async () => {
    const table: [ConnectOptions, ClientCapabilities, boolean][] = [
      [{}, {}, true],
      [{}, { sampling: {} }, false],
      [{ onSample: () => answer }, { sampling: {} }, true],
      [{ onSample: () => answer }, { sampling: { tools: {} } }, false],
      [{ onSample: () => answer, samplingCapabilities: { tools: {} } }, { sampling: { tools: {} } }, since("2025-11-25")],
      [{ onElicit: () => ({ action: "cancel" }) }, { elicitation: {} }, since("2025-06-18")],
      [{ onElicit: () => ({ action: "cancel" }) }, { elicitation: { url: {} } }, since("2025-11-25")],
      [{ onElicit: () => ({ action: "cancel" }), elicitationModes: ["form"] }, { elicitation: { url: {} } }, false],
      [{ roots: [] }, { roots: {} }, true],
      [{ roots: [] }, { roots: { listChanged: true } }, !stateless],
      [{ experimental: { x: { a: [1] } } }, { experimental: { x: { a: [1] } } }, true],
      [{ experimental: { x: { a: [1] } } }, { experimental: { x: {} } }, false],
      [{ extensions: { "a.b/c": {} } }, { extensions: { "a.b/c": { any: 1 } } }, true],
      [{ roots: [], onSample: () => answer }, { roots: {}, sampling: {} }, true],
      [{ roots: [] }, { roots: {}, sampling: {} }, false],
    ];
    for (const [options, required, expected] of table) {
      const result = await asked(({ session }) => Promise.resolve(session.checkClientCapability(required)), options);
      expect([required, result]).toEqual([required, { answered: expected }]);
    }
  });
});

/** Requests to the client exist here, with every kind of elicitation. */
const LIVE = ["2025-11-25"] as const;

describeMatrix(
  "Pages",
  ({ connect }) => {
    it("have an id on 2025-11-25, the server's own or one made up [CF-15 L1.7]", async () => {
      const ids: unknown[] = [];
      const onElicit = (params: ElicitRequestParams): ElicitResult => {
        ids.push("elicitationId" in params && params.elicitationId);
        return { action: "accept" };
      };
      const page = { message: "Pay", url: "https://example.com/pay" };
      for (const given of [{}, { elicitationId: "own" }]) {
        const client = await connect(
          serverAsking(({ session }) => session.elicitUrl({ ...page, ...given })),
          { onElicit },
        );
        expect(JSON.parse((await client.callTool("ask")).text)).toEqual({ answered: { action: "accept" } });
      }
      expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), "own"]);
    });
  },
  LIVE,
);

describeMatrix(
  "Answers of the client",
  ({ connect }) => {
    const elicit = ({ session }: RequestContext): Promise<unknown> =>
      session.elicitForm({ message: "Who?", requestedSchema: form });
    async function asked(
      ask: (context: RequestContext) => Promise<unknown>,
      options: ConnectOptions,
    ): Promise<[unknown, Error[]]> {
      const errors: Error[] = [];
      const client = await connect(serverAsking(ask), { onError: (error) => void errors.push(error), ...options });
      return [JSON.parse((await client.callTool("ask")).text), errors];
    }

    it("an error may be returned, rejected with or thrown: the server gets the same [CV-15 CS-75 L2.5]", async () => {
      const error = { code: -1, message: "User rejected", data: { n: null } };
      const thrown = new McpError(error.code, error.message, error.data);
      const ways: ConnectOptions["onSample"][] = [
        () => error,
        () => Promise.resolve(error),
        () => Promise.reject(thrown),
        () => {
          throw thrown;
        },
      ];
      for (const onSample of ways) {
        const [said, errors] = await asked(({ session }) => session.createMessage(message), { onSample: onSample! });
        expect(said).toEqual({ ...error, channel: false });
        expect(errors).toEqual([]);
      }
      const [roots] = await asked(({ session }) => session.listRoots(), { roots: () => error });
      expect(roots).toEqual({ ...error, channel: false });
      const [form] = await asked(elicit, { onElicit: () => error });
      expect(form).toEqual({ ...error, channel: false });
    });

    it("what else a callback throws stays here [CS-77 R11]", async () => {
      for (const onElicit of [
        () => Promise.reject(new Error("hunter2")),
        (): never => {
          throw new Error("hunter2");
        },
      ]) {
        const [said, errors] = await asked(elicit, { onElicit });
        expect(said).toEqual({ code: -32603, message: "Internal error", channel: false });
        expect(errors).toMatchObject([{ message: "hunter2" }]);
      }
      const [said, errors] = await asked(elicit, { onElicit: () => Promise.reject(new McpError(1.5, "no code of JSON-RPC")) });
      expect(said).toEqual({ code: -32603, message: "Internal error", channel: false });
      expect(errors).toMatchObject([{ message: "no code of JSON-RPC" }]);
    });

    it("an answer of the wrong shape is not sent [CS-76]", async () => {
      const wrong: unknown[] = [
        undefined,
        null,
        "yes",
        7,
        [],
        {},
        { action: "maybe" },
        { action: "accept", content: { a: {} } },
        { action: "accept", content: [] },
      ];
      for (const value of wrong) {
        for (const given of [value, Promise.resolve(value)]) {
          const [said, errors] = await asked(elicit, { onElicit: () => given as ElicitResult });
          expect(said).toEqual({ code: -32603, message: "Client callback returned an invalid result", channel: false });
          expect(errors).toHaveLength(1);
        }
      }
      const [sampled] = await asked(({ session }) => session.createMessage(message), {
        onSample: () => ({ role: "robot" }) as never,
      });
      expect(sampled).toMatchObject({ code: -32603, message: "Client callback returned an invalid result" });
      const [roots] = await asked(({ session }) => session.listRoots(), { roots: () => [{ name: "no uri" }] as never });
      expect(roots).toMatchObject({ code: -32603 });
    });

    it("an answer that has no JSON form is an error, not silence [L1.3 F12]", async () => {
      const [said, errors] = await asked(({ session }) => session.createMessage(message), {
        onSample: () => ({ ...answer, _meta: { n: 1n } }),
      });
      expect(said).toMatchObject({ code: -32603 });
      expect(errors).toHaveLength(1);
    });

    it("what the user left out of an accepted form is what the form proposed [L1.5]", async () => {
      const requestedSchema: ElicitRequestedSchema = {
        type: "object",
        properties: {
          name: { type: "string", default: "Ada" },
          age: { type: "integer", default: 36 },
          ok: { type: "boolean", default: false },
          x: { type: "string" },
        },
      };
      const ask = ({ session }: RequestContext): Promise<unknown> => session.elicitForm({ message: "?", requestedSchema });
      const outcomes: [ElicitResult, ElicitResult][] = [
        [
          { action: "accept", content: { age: 1 } },
          { action: "accept", content: { name: "Ada", age: 1, ok: false } },
        ],
        [{ action: "accept" }, { action: "accept", content: { name: "Ada", age: 36, ok: false } }],
        [{ action: "decline" }, { action: "decline" }],
        [{ action: "cancel" }, { action: "cancel" }],
      ];
      for (const [given, expected] of outcomes) {
        const [said] = await asked(ask, { onElicit: () => given });
        expect(said).toEqual({ answered: expected });
      }
    });

    it("a client that supports pages only is not sent a form, nor the other way round [L1.2 L1.1]", async () => {
      const page = ({ session }: RequestContext): Promise<unknown> =>
        session.elicitUrl({ message: "", url: "https://example.com", elicitationId: "e" });
      const onElicit = (): ElicitResult => ({ action: "accept" });
      expect((await asked(elicit, { onElicit, elicitationModes: ["url"] }))[0]).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
      expect((await asked(page, { onElicit, elicitationModes: ["form"] }))[0]).toMatchObject({ code: -32021 });
      expect((await asked(page, { onElicit, elicitationModes: ["url"] }))[0]).toEqual({ answered: { action: "accept" } });
    });

    it("a callback may call tools that ask again, ten deep if the client allows it [XT-11 CS-78 D16]", async () => {
      const server = testServer({ onError: () => undefined });
      server.tool("down", {}, async (input, { session }) => {
        const depth = input["depth"] as number;
        if (depth === 10) return "bottom";
        const { content } = await session.createMessage({ ...message, maxTokens: depth + 1 });
        return `${depth} ${(content as { text: string }).text}`;
      });
      const client = await connect(server, {
        limits: { maxDepth: 10 },
        onSample: async ({ maxTokens }) => ({
          ...answer,
          content: { type: "text", text: (await client.callTool("down", { depth: maxTokens })).text },
        }),
      });
      expect((await client.callTool("down", { depth: 0 })).text).toBe("0 1 2 3 4 5 6 7 8 9 bottom");
    });

    it("callbacks run beside each other, each answer to its question [XT-11]", async () => {
      const open: (() => void)[] = [];
      const [said] = await asked(
        ({ session }) =>
          Promise.all(
            [1, 2, 3].map((maxTokens) => session.createMessage({ ...message, maxTokens }).then((result) => result.model)),
          ),
        {
          onSample: ({ maxTokens }) =>
            new Promise((resolve) => {
              open.push(() => resolve({ ...answer, model: `m${maxTokens}` }));
              if (open.length === 3) for (const finish of open.reverse()) finish();
            }),
        },
      );
      expect(said).toEqual({ answered: ["m1", "m2", "m3"] });
    });

    it("a question is cancelled with the call that asks it; the callback's signal aborts [SS-64 requirement G1]", async () => {
      const abort = new AbortController();
      const heard = new Promise<AbortSignal>((resolve) => {
        void connect(
          serverAsking(({ session, signal }) => session.createMessage(message, { signal })),
          {
            onSample: (_params, { signal }) =>
              new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => {
                  resolve(signal);
                  reject(signal.reason as Error);
                });
                abort.abort(new Error("enough"));
              }),
          },
        ).then((client) => client.callTool("ask", {}, { signal: abort.signal }).catch(() => undefined));
      });
      expect((await heard).aborted).toBe(true);
    });
  },
  LIVE,
);
