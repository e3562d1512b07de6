/** The roots of a client: what they may be, on both sides. */
import { expect, it } from "vitest";
import type { McpError, McpServer, RequestContext, Root } from "tenon";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

/** A server whose one tool asks, and returns the outcome. */
function serverAsking(ask: (context: RequestContext) => Promise<unknown>): McpServer {
  const server = testServer({ onError: () => undefined });
  server.tool("ask", {}, async (_input, context) => {
    try {
      return { answered: await ask(context) };
    } catch (error) {
      const { code, message } = error as McpError;
      return { code, message };
    }
  });
  return server;
}

describeMatrix("Roots", ({ connect, stateless }) => {
  async function asked(ask: (context: RequestContext) => Promise<unknown>, roots: readonly Root[]): Promise<unknown> {
    const client = await connect(serverAsking(ask), { roots: () => roots });
    return JSON.parse((await client.callTool("ask")).text);
  }

  it.each(["https://evil.example/", "/work", "data:text/plain,a", "file"])(
    "a root %j is refused by both sides, with its text [SS-76 CS-33]",
    async (uri) => {
      const refused = `The root ${JSON.stringify(uri)} is no "file:" URI`;
      const client = await connect(
        serverAsking((context) => context.roots()),
        { roots: [{ uri }] },
      );
      const out = await client.callTool("ask").then(({ text }) => text, String);
      expect(out).toContain(stateless ? refused : JSON.stringify(refused).slice(1, -1));
      // A client that does not check: what it sends is another URI than the one that was checked.
      const lying = (): { uri: string } => {
        let reads = 0;
        return Object.defineProperty({ uri: "" }, "uri", { enumerable: true, get: () => (reads++ === 0 ? "file:///work" : uri) });
      };
      expect(await asked((context) => context.roots(), [lying()])).toMatchObject({ code: -32602, message: refused });
      if (stateless) return;
      expect(await asked(({ session }) => session.listRoots(), [lying()])).toMatchObject({
        code: -32602,
        message: refused,
      });
    },
  );
});
