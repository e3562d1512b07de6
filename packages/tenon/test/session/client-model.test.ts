/** `ctx.session.createMessage`: what a handler asks the model of its client. */
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  connect,
  MissingClientCapabilityError,
  ProtocolViolationError,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type JsonObject,
  type SamplingMessage,
  type ServerSession,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { turn } from "../support/virtual-clock.ts";
import { called, serverDoing } from "./called-handler.ts";

describe("A request for the client's model", () => {
  const message: SamplingMessage = { role: "user", content: { type: "text", text: "?" } };
  const plain: CreateMessageRequestParams = { messages: [message], maxTokens: 5 };
  const answer = { role: "assistant", model: "m", content: { type: "text", text: "!" } };
  const tool = { name: "t", inputSchema: { type: "object" as const } };
  const open: SamplingMessage[] = [
    { role: "assistant", content: { type: "tool_use", id: "a", name: "t", input: {} } },
    { role: "user", content: { type: "text", text: "never mind" } },
  ];

  /** The error of the request; only the tool's own response may have been written. */
  async function refused(params: CreateMessageRequestParams, capabilities: JsonObject): Promise<unknown> {
    let failure: unknown;
    const transport = await called(
      ({ session }) =>
        session.createMessage(params).catch((error: unknown) => {
          failure = error;
        }),
      { capabilities },
    );
    await expect.poll(() => failure).toBeDefined();
    await turn();
    expect(transport.sent.map(({ method }) => method)).toEqual([undefined]);
    return failure;
  }

  /** What is written for a request. */
  async function asked(params: CreateMessageRequestParams, capabilities: JsonObject): Promise<JsonObject> {
    const transport = await called(({ session }) => session.createMessage(params), { capabilities });
    await expect.poll(() => transport.sent).toHaveLength(1);
    return transport.sent[0]!;
  }

  it("is written in the words of the protocol, and what was not said is not there [SS-80 SS-86 CV-03]", async () => {
    const { method, params } = await asked(plain, { sampling: {} });
    expect(method).toBe("sampling/createMessage");
    expect(params).toStrictEqual({ messages: [message], maxTokens: 5 });
    const everything: CreateMessageRequestParams = {
      ...plain,
      systemPrompt: "s",
      includeContext: "thisServer",
      temperature: 0,
      stopSequences: [],
      metadata: { a: null },
      modelPreferences: { hints: [{ name: "h" }], costPriority: 0 },
      tools: [tool],
      toolChoice: { mode: "auto" },
    };
    expect((await asked(everything, { sampling: { tools: {}, context: {} } }))["params"]).toStrictEqual(everything);
  });

  it("needs the capability for tools, checked before the conversation [SS-82 SS-83 SS-84 SS-87 SV-02 XT-15 L2.1]", async () => {
    for (const more of [{ tools: [] }, { tools: [tool] }, { toolChoice: {} }]) {
      const failure = await refused({ messages: open, maxTokens: 1, ...more }, { sampling: {} });
      expect(failure).toMatchObject({ code: -32602, message: "Client does not support sampling tools capability" });
    }
  });

  it("is not sent where the conversation does not hold together [SS-82 SS-87 SV-09 XT-15 L2.4]", async () => {
    const failure = await refused({ messages: open, maxTokens: 1, tools: [tool] }, { sampling: { tools: {} } });
    expect(failure).toBeInstanceOf(RangeError);
  });

  it("does not ask for the context of servers where the client did not offer it [SS-85 L2.1]", async () => {
    const failure = await refused({ ...plain, includeContext: "allServers" }, { sampling: {} });
    expect(failure).toBeInstanceOf(MissingClientCapabilityError);
    await asked({ ...plain, includeContext: "none" }, { sampling: {} });
    await asked({ ...plain, includeContext: "allServers" }, { sampling: { context: {} } });
  });

  it("the result has one block if no tools were offered [SS-63 SS-64 SS-81 TY-71]", async () => {
    const outcomes: unknown[] = [];
    const transport = await called(
      async ({ session }) => {
        for (const more of [{}, { tools: [] }])
          outcomes.push(await session.createMessage({ ...plain, ...more }).catch((error: unknown) => error));
      },
      { capabilities: { sampling: { tools: {} } } },
    );
    const several = { ...answer, content: [answer.content] };
    for (const count of [1, 2]) {
      await expect.poll(() => transport.sent).toHaveLength(count);
      transport.push({ jsonrpc: "2.0", id: transport.sent.at(-1)!["id"], result: several });
    }
    await expect.poll(() => outcomes).toHaveLength(2);
    expect(outcomes[0]).toBeInstanceOf(ProtocolViolationError);
    expect(outcomes[1]).toEqual(several);
  });

  it("the type of the answer follows from what was offered [SS-81 SS-88 CV-09]", () => {
    expectTypeOf<ServerSession>().toHaveProperty("createMessage");
    const types = (session: ServerSession): unknown[] => {
      const one = session.createMessage({ messages: [], maxTokens: 1 });
      expectTypeOf(one).toEqualTypeOf<Promise<CreateMessageResult>>();
      const several = session.createMessage({ messages: [], maxTokens: 1, tools: [] });
      expectTypeOf(several).toEqualTypeOf<Promise<CreateMessageResultWithTools>>();
      return [one, several];
    };
    expect(types).toBeTypeOf("function");
  });

  it("a client does not hand its model a conversation that does not hold together [L2.4 SV-08]", async () => {
    const server = serverDoing(async ({ session }) => {
      failure = await failureOf(session.request("sampling/createMessage", { messages: open, maxTokens: 1 }));
    });
    let failure: unknown;
    await using client = await connect(server, { revision: "2025-11-25", onSample: () => expect.fail("not asked") });
    await client.callTool("do");
    expect(failure).toMatchObject({ code: -32602, message: /do not match/ });
  });
});
