/** What a client gets that stops to read for a while: the newest progress when it reads again, and not before. */
import { expect, test } from "vitest";
import { createFetchHandler } from "tenon/server";
import type { JsonObject, McpError } from "tenon";
import { BOTH, dataOf, initialize, mirrored, statelessBody } from "./support.ts";
import { turn } from "../support/virtual-clock.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const STEPS = 100;

test.each(["2026-07-28", "2025-11-25"])(
  "%s: progress that was dropped is made up when the client reads, with the newest step only [fault H15]",
  async (revision) => {
    const errors: Error[] = [];
    const server = testServer();
    const { opened: ended, open: end } = gate();
    server.tool("flood", {}, async (_input, ctx) => {
      for (let step = 1; step <= STEPS; step++) {
        void ctx.progress(step, STEPS, "x".repeat(10_000));
        if (step % 5 === 0) await turn();
      }
      await ended;
      return "done";
    });
    const handler = createFetchHandler(server, { limits: { maxBuffered: 200_000 }, onError: (error) => void errors.push(error) });
    const post = (body: JsonObject, headers: Record<string, string>): Promise<Response> =>
      handler(
        new Request("http://localhost/mcp", {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json", accept: BOTH, ...headers },
        }),
      );
    const params = { name: "flood", _meta: { progressToken: 1 } };
    const headers: Record<string, string> =
      revision === "2026-07-28" ? mirrored("tools/call", params) : { "mcp-protocol-version": revision };
    if (revision !== "2026-07-28")
      headers["mcp-session-id"] = (await post(initialize(revision), {})).headers.get("mcp-session-id")!;
    const body =
      revision === "2026-07-28" ? statelessBody("tools/call", params) : { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const response = await post(body, headers);
    for (let turns = 0; turns < 60; turns++) await turn();
    expect(errors).toEqual([]);

    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes(`"progress":${STEPS},`)) text += (await reader.read()).value!;
    end();
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    const messages = dataOf(text)
      .filter(Boolean)
      .map((data) => JSON.parse(data) as { params?: { progress: number } });
    const told = messages.slice(0, -1).map((message) => message.params!.progress);
    expect(told.at(-1)).toBe(STEPS);
    expect(told.length).toBeLessThan(STEPS / 2);
    expect(errors.map((error) => (error as McpError).data)).toMatchObject([
      { limit: "limits.maxBuffered", omitted: STEPS - told.length },
    ]);
    await handler.close();
  },
);
