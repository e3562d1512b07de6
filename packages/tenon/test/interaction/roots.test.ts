/** The roots of a client: what they may be, on both sides. */
import { expect, it } from "vitest";
import type { McpError, McpServer, RequestContext, Root } from "tenon";
import { describeMatrix } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
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

  it("a server hears that they have changed, in the session of that client, and asks for them [CL-22]", async () => {
    const heard: unknown[] = [];
    const server = testServer({ onError: (error) => void heard.push((error as Error).message) });
    const child = testServer();
    const stop = server.onRootsChanged(async (session) => {
      heard.push((await session.listRoots()).roots.map(({ uri }) => uri));
      throw new Error("after it was heard");
    });
    child.onRootsChanged(async (session) => void heard.push(`child ${(await session.listRoots()).roots.length}`));
    server.mount("child", child);
    let roots: readonly Root[] = [{ uri: "file:///a" }];
    const client = await connect(server, { roots: () => roots });
    if (stateless) {
      await client.sendRootsListChanged(); // the revision has no such message: nothing is sent
      await client.callTool("none").catch(() => undefined);
      return expect(heard).toEqual([]);
    }
    roots = [{ uri: "file:///b" }, { uri: "file:///c" }];
    await client.sendRootsListChanged();
    const whole = [["file:///b", "file:///c"], "after it was heard", "child 2"];
    await expect.poll(() => heard, { timeout: 30_000 }).toEqual(whole);
    stop();
    await client.sendRootsListChanged();
    return expect.poll(() => heard, { timeout: 30_000 }).toEqual([...whole, "child 2"]);
  });

  it("changes that come while a listener runs are one more run", async () => {
    if (stateless) return;
    const server = testServer();
    let runs = 0;
    const { opened, open } = gate();
    server.onRootsChanged(async () => {
      runs++;
      await opened;
    });
    server.tool("seen", {}, () => String(runs));
    const client = await connect(server, { roots: [] });
    for (let at = 0; at < 5; at++) await client.sendRootsListChanged();
    await expect.poll(async () => (await client.callTool("seen")).text, { timeout: 30_000 }).toBe("1");
    open();
    await expect.poll(async () => (await client.callTool("seen")).text, { timeout: 30_000 }).toBe("2");
    expect((await client.callTool("seen")).text).toBe("2");
  });
});
