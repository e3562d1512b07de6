/** A client that was asked for what it did not declare: the error says what is missing, and which option declares it. */
import { expect, it } from "vitest";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const PROMPT = { messages: [{ role: "user", content: { type: "text", text: "Hello" } }], maxTokens: 9 } as const;

describeMatrix("a client without callbacks", ({ connect, revision }) => {
  it("reads which capability and which option is missing [s6]", async () => {
    const server = testServer();
    server.tool("confirm", {}, async (_input, ctx) => String(await ctx.confirm("sure", "Sure?")));
    server.tool("roots", {}, async (_input, ctx) => JSON.stringify(await ctx.roots()));
    server.tool("sample", {}, async (_input, ctx) => JSON.stringify(await ctx.sample("poem", PROMPT)));
    const client = await connect(server);
    const refusal = (tool: string): Promise<string> =>
      client.callTool(tool).then(
        ({ text }) => text,
        ({ message }: Error) => message,
      );
    expect(await refusal("roots")).toContain('"roots" (option "roots" of the client)');
    expect(await refusal("sample")).toContain('"sampling" (option "onSample" of the client)');
    // Revisions without forms have no option that would help.
    const hasForms = revision >= "2025-06-18";
    expect(await refusal("confirm")).toContain(hasForms ? '(option "onElicit" of the client)' : `revision ${revision}`);
  });
});
