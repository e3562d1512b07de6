/** Mistakes other SDKs made and mended: those in asking the client. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { InputRequiredError, inputRequired, type InputRequests } from "tenon";
import { describeAsking } from "../asking/ways.ts";
import { RawClient } from "../support/raw-client.ts";
import { testServer } from "../support/test-server.ts";

const question: InputRequests = {
  name: {
    method: "elicitation/create",
    params: { message: "Who?", requestedSchema: { type: "object", properties: { name: { type: "string" } } } },
  },
};

describeAsking("What a result says beside its questions", ({ connect, stateless }) => {
  it("reaches callers who answer by hand, and the last result's reaches all [requirement H1 requirement H16]", async () => {
    const server = testServer({ onError: () => undefined });
    server.tool("ask", {}, (_input, { inputResponses }) =>
      inputResponses["name"] === undefined
        ? inputRequired({ inputRequests: question, requestState: "s", _meta: { "x/why": "because" } })
        : { content: [], _meta: { "x/done": true } },
    );
    const answering = await connect(server, { onElicit: () => ({ action: "accept", content: { name: "Ada" } }) });
    expect((await answering.callTool("ask"))._meta).toMatchObject({ "x/done": true });
    if (!stateless) return;
    const byHand = await connect(server, { onElicit: () => ({ action: "decline" }), limits: { maxRounds: 0 } });
    const error: unknown = await byHand.callTool("ask").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InputRequiredError);
    expect((error as InputRequiredError).result).toMatchObject({ _meta: { "x/why": "because" }, inputRequests: { name: {} } });
  });

  it("a declined question is not asked again, and the handler sees that it was declined [requirement H15]", async () => {
    const server = testServer({ onError: () => undefined });
    let steps = 0;
    server.tool("ask", {}, async (_input, ctx) => {
      const first = await ctx.elicit("a", { message: "a", schema: { type: "object", properties: {} } });
      await ctx.step("count", () => ++steps);
      const second = await ctx.elicit("b", { message: "b", schema: { type: "object", properties: {} } });
      return `${first.action} ${second.action} ${steps}`;
    });
    const asked: string[] = [];
    const client = await connect(server, {
      onElicit: ({ message }) => (asked.push(message), { action: message === "a" ? "decline" : "cancel" }),
    });
    expect((await client.callTool("ask")).text).toBe("decline cancel 1");
    expect(asked).toEqual(["a", "b"]);
  });
});

describe("A form that was accepted without content", () => {
  it.each([{ action: "accept" }, { action: "accept", content: {} }])(
    "%j: what the form proposes is what was meant [L1.5]",
    async (answer) => {
      const server = testServer({ onError: () => undefined });
      const schema = z.object({ color: z.enum(["red", "green"]).default("green"), note: z.string().optional() });
      server.tool("ask", {}, async (_input, ctx) => JSON.stringify(await ctx.elicit("q", { message: "?", schema })));
      const client = new RawClient(server);
      await client.initialize("2025-11-25", { elicitation: {} });
      const written = await client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask" } });
      // What asks is loaded with the first question.
      const writtenSoFar = async (): Promise<number> => written.push(...(await client.send()));
      await expect.poll(writtenSoFar).toBe(1);
      expect(written[0]).toHaveProperty("method", "elicitation/create");
      written.push(...(await client.send({ jsonrpc: "2.0", id: written[0]!["id"], result: answer })));
      await expect.poll(writtenSoFar).toBe(2);
      expect(written[1]).toHaveProperty("result");
      const { content } = written[1]!["result"] as { content: { text: string }[] };
      expect(JSON.parse(content[0]!.text)).toEqual({ action: "accept", content: { color: "green" } });
    },
  );
});
