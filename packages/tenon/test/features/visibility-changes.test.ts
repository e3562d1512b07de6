/** Who sees what can change while clients are connected: only those who see another list than before are notified. */
import { expect, it } from "vitest";
import { ConnectionClosedError, type McpServer, type ChangeStream, type Client, type ServerChange } from "tenon";
import type { Caller, Selection } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeInProcess, describeMatrix, type MatrixCell } from "../support/matrix.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

// What a server loads with its first rule is there from the beginning, so that one turn is enough for every notification.
await import("../../src/server/visibility/visibility.ts");

const isAda = ({ client }: Caller): boolean => client.info?.name === "ada";
const as = (cell: MatrixCell, server: McpServer, name: string, clock?: VirtualClock): Promise<Client> =>
  cell.connect(server, { clientInfo: { name, version: "1" }, ...(clock && { clock }) });
const toolsOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

/** What a stream has heard so far. */
function heard(stream: ChangeStream): ServerChange[] {
  const changes: ServerChange[] = [];
  const read = async (): Promise<void> => {
    for await (const change of stream) changes.push(change);
  };
  read().catch((error: unknown) => expect(error).toBeInstanceOf(ConnectionClosedError));
  return changes;
}

/** A server whose clients are principals by their names, with tools that hide and show others. */
function createServer(clock?: VirtualClock): McpServer {
  const server = testServer({ ...(clock && { clock }), onError: () => undefined });
  server.use((next) => (ctx) => {
    const name = ctx.client.info?.name;
    if (name !== undefined && name !== "nobody") ctx.principal = name;
    return next(ctx);
  });
  const input = { type: "object", properties: { action: { type: "string" }, what: {} } } as const;
  server.tool("change", { input }, (given, ctx) => {
    const { action, what } = given as { action: "hide" | "show"; what: Selection };
    ctx[action](what);
  });
  server.tool("reset", {}, (_input, ctx) => ctx.resetVisibility());
  server.tool("pay", { tags: ["finance"] }, () => "paid");
  server.tool("draft", { hidden: true }, () => "drafted");
  return server;
}

describeMatrix("Features hidden and shown for a session", (cell) => {
  it("are hidden for one client, are unknown to it, and come back", async () => {
    const server = createServer();
    const [ada, bob] = [await as(cell, server, "ada"), await as(cell, server, "bob")];
    expect(await toolsOf(ada)).toEqual(["change", "reset", "pay"]);
    await ada.callTool("change", { action: "hide", what: { tags: ["finance"] } });
    expect(await toolsOf(ada)).toEqual(["change", "reset"]);
    expect((await failureOf(ada.callTool("pay"))).message).toContain("Unknown tool: pay");
    expect(await toolsOf(bob)).toEqual(["change", "reset", "pay"]);
    expect((await bob.callTool("pay")).text).toBe("paid");
    await ada.callTool("change", { action: "show", what: "pay" });
    expect((await ada.callTool("pay")).text).toBe("paid");
    await ada.callTool("change", { action: "show", what: "draft" });
    expect(await toolsOf(ada)).toEqual(["change", "reset", "pay", "draft"]);
    expect((await ada.callTool("draft")).text).toBe("drafted");
    await ada.callTool("reset");
    expect(await toolsOf(ada)).toEqual(["change", "reset", "pay"]);
    expect((await failureOf(ada.callTool("draft"))).message).toContain("Unknown tool: draft");
  });

  it("never beat a rule", async () => {
    const server = createServer();
    server.tool("secret", { visible: isAda }, () => "");
    const bob = await as(cell, server, "bob");
    await bob.callTool("change", { action: "show", what: { names: ["secret"] } });
    expect(await toolsOf(bob)).not.toContain("secret");
    expect((await failureOf(bob.callTool("secret"))).message).toContain("Unknown tool: secret");
  });

  it("need a session or a principal", async () => {
    const errors: unknown[] = [];
    const server = testServer({ onError: (error) => errors.push(error) });
    server.tool("hide", {}, (_input, ctx) => ctx.hide("hide"));
    const client = await as(cell, server, "nobody");
    const { isError } = await client.callTool("hide");
    expect(isError).toBe(cell.stateless);
    expect(errors.map(String)).toEqual(
      cell.stateless ? [expect.stringContaining("this revision has no sessions, and there is no auth")] : [],
    );
  });
});

describeInProcess("Notifications of who sees what", (cell) => {
  it("a change of a tool reaches those who see it", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const handle = server.tool("secret", { visible: isAda }, () => "");
    const [ada, bob] = [await as(cell, server, "ada", clock), await as(cell, server, "bob", clock)];
    await Promise.all([toolsOf(ada), toolsOf(bob)]);
    const [toAda, toBob] = [heard(await ada.listen({ tools: true })), heard(await bob.listen({ tools: true }))];
    handle.update({ description: "new" });
    await turn();
    expect([toAda.length, toBob.length]).toEqual([1, 0]);
    await clock.advance(50);
    server.tool("everyone", {}, () => "");
    await turn();
    expect([toAda.length, toBob.length]).toEqual([2, 1]);
    await clock.advance(50);
    handle.remove();
    server.listChanged("tools");
    await turn();
    expect([toAda.length, toBob.length]).toEqual([3, 2]);
  });

  it("changed rights reach the one concerned", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const admins = new Set(["ada"]);
    server.tool("admin", { visible: ({ client }) => admins.has(client.info?.name ?? "") }, () => "");
    const [ada, bob] = [await as(cell, server, "ada", clock), await as(cell, server, "bob", clock)];
    await Promise.all([toolsOf(ada), toolsOf(bob)]);
    const [toAda, toBob] = [heard(await ada.listen({ tools: true })), heard(await bob.listen({ tools: true }))];
    admins.add("bob");
    server.visibilityChanged();
    await turn();
    expect([toAda, toBob]).toEqual([[], [{ kind: "tools" }]]);
    expect(await toolsOf(bob)).toContain("admin");
    await clock.advance(50);
    admins.clear();
    server.visibilityChanged("ada");
    await turn();
    expect([toAda.length, toBob.length]).toEqual([1, 1]);
    await clock.advance(50);
    server.visibilityChanged();
    await turn();
    expect([toAda.length, toBob.length]).toEqual([1, 2]);
  });

  it("what a handler hides is a change for its session alone", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    const [ada, bob] = [await as(cell, server, "ada", clock), await as(cell, server, "bob", clock)];
    await Promise.all([toolsOf(ada), toolsOf(bob)]);
    const [toAda, toBob] = [heard(await ada.listen({ tools: true, prompts: true })), heard(await bob.listen({ tools: true }))];
    await ada.callTool("change", { action: "hide", what: "pay" });
    await turn();
    expect([toAda, toBob]).toEqual([[{ kind: "tools" }], []]);
  });

  it("a watched resource that is hidden is silent", async () => {
    const clock = new VirtualClock();
    const server = createServer(clock);
    let isOpen = true;
    server.resource("a://1", { visible: () => isOpen }, () => "1");
    const client = await as(cell, server, "ada", clock);
    const changes = heard(await client.listen({ resources: ["a://1"] }));
    server.resourceUpdated("a://1");
    await turn();
    expect(changes).toHaveLength(1);
    await clock.advance(50);
    isOpen = false;
    server.resourceUpdated("a://1");
    await turn();
    expect(changes).toHaveLength(1);
  });
});
