/** A client's response to a question of the server: it is sent again until it arrives, because the call waits for it. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Fetch } from "tenon/client";
import { createFetchHandler } from "tenon/server";
import * as z from "zod";
import { testServer } from "../support/test-server.ts";

/**
 * A call that asks, over HTTP in this process, with the POST of its answer met by `refuse` first. Returns its text and how often
 * it was answered.
 */
async function ask(refuse: (attempt: number) => Response | undefined): Promise<{ text: string; answers: number }> {
  const server = testServer({ onError: () => undefined });
  server.tool("ask", {}, async (_input, ctx) => {
    const { content } = await ctx.elicit("name", { message: "Name?", schema: z.object({ name: z.string() }) });
    return `Hello ${content?.name ?? "nobody"}`;
  });
  const handler = createFetchHandler(server, {});
  onTestFinished(() => handler.close());
  let answers = 0;
  const fetch: Fetch = async (url, init) => {
    const isAnswer = typeof init.body === "string" && init.body.includes('"action"');
    const refused = isAnswer ? refuse(++answers) : undefined;
    return refused ?? handler(new Request(url, init as RequestInit));
  };
  const client = await connect(
    { url: "http://localhost/mcp", fetch },
    { revision: "2025-11-25", onError: () => undefined, onElicit: () => ({ action: "accept", content: { name: "Zoë" } }) },
  );
  onTestFinished(() => client.close());
  const { text } = await client.callTool("ask", {}, { timeout: 60_000 });
  return { text, answers };
}

describe("an answer is sent again", () => {
  test.each([429, 502, 503, 504])("after HTTP %i", async (status) => {
    const done = await ask((attempt) => (attempt <= 2 ? new Response(null, { status }) : undefined));
    expect(done).toEqual({ text: "Hello Zoë", answers: 3 });
  });

  test("after a connection that broke", async () => {
    const done = await ask((attempt) => {
      if (attempt === 1) throw new TypeError("fetch failed");
      return undefined;
    });
    expect(done).toEqual({ text: "Hello Zoë", answers: 2 });
  });
});
