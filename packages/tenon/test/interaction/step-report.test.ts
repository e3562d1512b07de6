// What a server tells a client on the same machine of the steps of its handlers, if the client asks.
import { expect, it } from "vitest";
import type { McpServer } from "tenon";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

/** The revisions in which a server can ask. */
const WITH_QUESTIONS = REVISIONS.filter((revision) => revision >= "2025-06-18");
const ASKED = { meta: { "dev.tenon/steps": true } };

/**
 * A server whose tool has a step before its question, and two after it. `maxSuspended` 0: its handler runs again for each round.
 */
function shop(maxSuspended: number, done: string[]): McpServer {
  const server = testServer({ name: "shop", requestState: { maxSuspended } });
  server.tool("buy", {}, async (_input, ctx) => {
    await ctx.step("hold", () => void done.push("hold"));
    const isSure = await ctx.confirm("sure", "Sure?");
    await ctx.step("pay", () => void done.push("pay"));
    await ctx.step("fail", () => Promise.reject(new Error("No"))).catch(() => undefined);
    return String(isSure);
  });
  server.tool("plain", {}, () => "plain");
  return server;
}

describeMatrix(
  "The steps of a call",
  ({ connect, stateless, transport }) => {
    const isLocal = transport === "direct" || transport === "memory";
    const onElicit = (): { action: "accept"; content: { confirm: boolean } } => ({
      action: "accept",
      content: { confirm: true },
    });
    const step = (name: string, state: string): object => ({
      name,
      state,
      at: expect.any(Number) as number,
      ms: expect.any(Number) as number,
    });

    it.each([
      ["goes on", 10, "continued", []],
      ["runs again", 0, "ran again", [step("hold", "replayed")]],
    ])("are in the result if a local client asks for them: a handler that %s", async (_what, maxSuspended, handler, before) => {
      const done: string[] = [];
      const client = await connect(shop(maxSuspended, done), { onElicit });
      const { text, _meta } = await client.callTool("buy", {}, ASKED);
      expect({ text, done }).toEqual({ text: "true", done: ["hold", "pay"] });
      const after = [step("pay", "ran"), step("fail", "failed")];
      const report = stateless
        ? { handler, steps: [...before, ...after] }
        : { handler: "began", steps: [step("hold", "ran"), ...after] };
      if (isLocal) expect(_meta).toMatchObject({ "dev.tenon/steps": report });
      else expect(_meta ?? {}).not.toHaveProperty(["dev.tenon/steps"]);
    });

    it("are in no result that was not asked for them, and not in that of a handler without steps", async () => {
      const client = await connect(shop(10, []), { onElicit });
      for (const { _meta } of [
        await client.callTool("buy"),
        await client.callTool("buy", {}, { meta: { "dev.tenon/steps": "yes" } }),
        await client.callTool("plain", {}, ASKED),
      ])
        expect(_meta ?? {}).not.toHaveProperty(["dev.tenon/steps"]);
    });
  },
  WITH_QUESTIONS,
);
