/** What `spill` keeps: for whom, how much and how long, on several nodes, and against callers who try. */
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type CallToolResult, type Client, type JsonObject } from "tenon";
import { memoryStores } from "tenon/stores/memory";
import { createFetchHandler } from "tenon/server";
import { forget } from "tenon/state";
import { protect, REVISIONS as SCOPED } from "../auth-server/support.ts";
import { REVISIONS } from "../support/matrix.ts";
import { exporting, keptIn, LONG, opened, SPILL, textsIn, whole } from "../support/spilled.ts";

describe("whose a result is", () => {
  test.each(SCOPED)("over HTTP with a login on %s: another user's, another program's and no session's", async (revision) => {
    const http = await protect({}, (server) => void server.tool("export", { spill: SPILL }, () => LONG));
    const made = await http.call(revision, "ann", "export");
    const uri = /spill:\/\/\/[\w-]+/.exec(made.text)![0];
    expect((await http.call(revision, "ann", "read_more", { uri })).text).toContain("row 10");
    for (const other of ["bob", "ann-elsewhere", "ann-of-b", "robot"]) {
      const { text } = await http.call(revision, other, "read_more", { uri });
      expect(text).toContain("no result is kept");
      expect(text).not.toContain("row 1");
    }
  });

  test.each(REVISIONS)(
    "without a login on %s: the session's or the connection's; without either the link is the key",
    async (revision) => {
      const server = exporting();
      const handler = createFetchHandler(server);
      const over = async (): Promise<Client> => {
        const client = await connect(
          { url: "http://localhost/mcp", fetch: async (url, init) => handler(new Request(url, init)) },
          { revision },
        );
        onTestFinished(() => client.close());
        return client;
      };
      const isStateless = revision >= "2026-07-28";
      const [ann, bob, near] = [await over(), await over(), await connect(server, { revision })];
      onTestFinished(() => near.close());
      const { uri } = keptIn(await ann.callTool("export"));
      expect((await ann.callTool("read_more", { uri })).isError).not.toBe(true);
      expect((await bob.callTool("read_more", { uri })).isError ?? false).toBe(!isStateless);
      const own = keptIn(await near.callTool("export"));
      expect((await near.callTool("read_more", { uri: own.uri })).isError).not.toBe(true);
      for (const other of [ann, bob]) expect((await other.callTool("read_more", { uri: own.uri })).isError).toBe(true);
    },
  );

  test("no rule of visibility hides read_more, because it shows a caller only what is the caller's", async () => {
    const server = exporting();
    server.visible((_caller, { id }) => id === "export");
    const client = await opened(server);
    expect(await whole(client, await client.callTool("export"))).toBe(LONG);
  });

  test("a result that middleware keeps for all is whole, and each caller has a link of its own", async () => {
    const caller = { principal: "ann" };
    const server = exporting();
    let kept: unknown;
    server.use((next) => (context) => next(Object.assign(context, { principal: caller.principal })));
    server.use(
      (next) => async (context) =>
        context.params["name"] === "export" ? ((kept ??= await next(context)) as JsonObject) : next(context),
    );
    const client = await opened(server);
    for (const principal of ["ann", "bob"]) {
      caller.principal = principal;
      expect(await whole(client, await client.callTool("export"))).toBe(LONG);
    }
    expect(textsIn(kept as CallToolResult)).toEqual([LONG]);
  });
});

describe("how much is kept, and how long", () => {
  const PART = 65_536;

  test("a caller that has filled its room gets results whole; what it has stays, and so does the room of others", async () => {
    const caller = { principal: "ann" };
    const errors: string[] = [];
    const onError = (error: unknown): void => void errors.push((error as Error).message);
    const server = exporting(LONG, { onError }, { ...SPILL, maxKept: 2 * PART });
    server.use((next) => (context) => next(Object.assign(context, { principal: caller.principal })));
    const client = await opened(server);
    const exported = async (): Promise<string> => keptIn(await client.callTool("export")).uri;
    const isThere = async (uri: string): Promise<boolean> => !(await client.callTool("read_more", { uri })).isError;
    const [first, second] = [await exported(), await exported()];
    expect((await client.callTool("export")).text).toBe(LONG);
    expect(errors).toEqual([expect.stringContaining('"spill.maxKept"')]);
    expect([await isThere(first), await isThere(second)]).toEqual([true, true]);
    caller.principal = "bob";
    expect(await isThere(await exported())).toBe(true);
    await forget("ann");
    caller.principal = "ann";
    expect(await isThere(await exported())).toBe(true);
  });

  test("a result that has no room is sent whole, and the operator hears of it", async () => {
    const errors: string[] = [];
    const onError = (error: unknown): void => void errors.push((error as Error).message);
    const server = exporting(LONG, { onError }, { ...SPILL, maxTotal: PART });
    server.tool("large", { spill: { ...SPILL, maxKept: 200 } }, () => "x".repeat(300));
    const client = await opened(server);
    keptIn(await client.callTool("export"));
    expect((await client.callTool("export")).text).toBe(LONG);
    expect((await client.callTool("large")).text).toBe("x".repeat(300));
    const whole = (name: string, length: number, limit: string): unknown =>
      expect.stringMatching(
        `^The result of tool "${name}" is sent whole, all ${length} characters, because it cannot be kept: .*"${limit}"`,
      );
    expect(errors).toEqual([whole("export", LONG.length, "spill.maxTotal"), whole("large", 300, "spill.maxKept")]);
  });

  test("what is refused or forgotten gives its room back", async () => {
    const server = exporting(LONG, { onError: () => undefined }, { ...SPILL, maxKept: PART, maxTotal: 2 * PART });
    server.use((next) => (context) => next(Object.assign(context, { principal: "ann" })));
    const client = await opened(server);
    const { uri } = keptIn(await client.callTool("export"));
    for (let count = 0; count < 5; count++) expect((await client.callTool("export")).text).toBe(LONG);
    await forget("ann");
    expect((await client.callTool("read_more", { uri })).text).toContain("no result is kept");
    expect(await whole(client, await client.callTool("export"))).toBe(LONG);
  });

  test("a result expires", async () => {
    const client = await opened(exporting(LONG, {}, { ...SPILL, ttl: 1 }));
    const { uri } = keptIn(await client.callTool("export"));
    await expect.poll(async () => (await client.callTool("read_more", { uri })).isError, { timeout: 30_000 }).toBe(true);
  });

  test("another node reads what one has kept", async () => {
    const stores = memoryStores();
    const keys = ["a key of all nodes, of 32 bytes or more"];
    const nodes = [0, 1].map(() => {
      const server = exporting(LONG, { requestState: { keys } });
      server.use((next) => (context) => next(Object.assign(context, { principal: "ann" })));
      return createFetchHandler(server, { stores });
    });
    const over = async (at: number): Promise<Client> => {
      const client = await connect({
        url: "http://localhost/mcp",
        fetch: async (url, init) => nodes[at]!(new Request(url, init)),
      });
      onTestFinished(() => client.close());
      return client;
    };
    const result = await (await over(0)).callTool("export");
    expect(await whole(await over(1), result)).toBe(LONG);
  });
});
