/** One server serves the features of others: under a prefix, live, with their middleware and their lifespan. */
import { sourceOf } from "tenon/server";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { McpServer, tool, type Client } from "tenon";
import { only } from "tenon/compose";
import { tasks } from "tenon/ext/tasks";
import { ClientSessionGroup } from "tenon/group";
import type { Caller, RequestContext, ToolsOf } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const isAda = ({ client }: Caller): boolean => client.info?.name === "ada";
const toolsOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

/** A server with a feature of each kind. */
function createChild(name = "child"): McpServer {
  const child = new McpServer({ name, version: "1" });
  const input = z.object({ a: z.number(), b: z.number() });
  child.tool("add", { title: "Add", tags: ["sums"], input, output: z.object({ sum: z.number() }) }, ({ a, b }) => ({
    sum: a + b,
  }));
  child.prompt(
    "greet",
    { input: z.object({ who: z.string() }), complete: { who: () => ["Ada", "Bob"] } },
    ({ who }) => `Greet ${who}.`,
  );
  child.resource("note://today", { mimeType: "text/plain" }, () => "milk");
  child.resourceTemplate(
    "note://{day}",
    { complete: { day: () => ["monday"] }, list: () => ["note://sunday"] },
    ({ day }) => `notes of ${day}`,
  );
  return child;
}

describeMatrix("A mounted server", ({ connect, since }) => {
  it("serves every kind of feature, two mounts deep", async () => {
    const [outer, middle] = [testServer({ name: "outer" }), testServer({ name: "middle" })];
    middle.mount("in", createChild());
    outer.mount("mid", middle);
    const client = await connect(outer);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: "mid__in__add", inputSchema: { required: ["a", "b"] } }]);
    if (since("2025-06-18")) expect(tools).toMatchObject([{ title: "Add", outputSchema: { required: ["sum"] } }]);
    expect((await client.callTool("mid__in__add", { a: 1, b: 2 })).text).toBe('{"sum":3}');
    const wrong = await client.callTool("mid__in__add", { a: "x" });
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining("a")]);
    expect((await client.getPrompt("mid__in__greet", { who: "Ada" })).messages).toMatchObject([
      { content: { text: "Greet Ada." } },
    ]);
    expect((await client.readResource("note://today")).contents).toEqual([
      { uri: "note://today", mimeType: "text/plain", text: "milk" },
    ]);
    expect((await client.readResource("note://monday")).contents).toMatchObject([{ text: "notes of monday" }]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["note://today", "note://sunday"]);
    const completed = async (ref: Parameters<Client["complete"]>[0]["ref"], name: string): Promise<readonly string[]> =>
      (await client.complete({ ref, argument: { name, value: "" } })).completion.values;
    expect(await completed({ type: "ref/prompt", name: "mid__in__greet" }, "who")).toEqual(["Ada", "Bob"]);
    expect(await completed({ type: "ref/resource", uri: "note://{day}" }, "day")).toEqual(["monday"]);
    for (const name of ["add", "in__add", "mid__add"])
      expect((await failureOf(client.callTool(name))).message).toContain(`Unknown tool: ${name}`);
  });

  it("is an option too, and its tools are functions of the client", async () => {
    const input = z.object({ a: z.number() });
    const double = tool({ input, output: z.object({ twice: z.number() }) }, ({ a }) => ({ twice: 2 * a }));
    const child = new McpServer({ name: "child", version: "1" }, { tools: { double } });
    const middle = new McpServer({ name: "middle", version: "1" }, { mounts: { in: child } });
    const outer = new McpServer({ name: "outer", version: "1" }, { tools: { double }, mounts: { mid: middle, also: child } });
    const typed = (client: Client): Client<ToolsOf<typeof outer>> => client as Client<ToolsOf<typeof outer>>;
    const { call } = typed(await connect(outer));
    expect(await Promise.all([call.double({ a: 1 }), call.mid__in__double({ a: 2 }), call.also__double({ a: 3 })])).toEqual([
      { twice: 2 },
      { twice: 4 },
      { twice: 6 },
    ]);
    child.tool("later", {}, () => "");
    expect([...sourceOf(outer).entries("tool")].map(({ id }) => id)).toContain("mid__in__later");
  });

  it("sends progress and logs, asks the client, and is cancelled", async () => {
    const child = testServer({ name: "child" });
    child.tool("book", {}, async (_input, ctx) => {
      await ctx.progress(1, 2, "half");
      const ok = await ctx.confirm("sure", "Really?");
      return ok ? "booked" : "left";
    });
    const { opened: waiting, open: began } = gate();
    let reason: unknown;
    child.tool("wait", {}, async (_input, ctx) => {
      began();
      await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve(), { once: true }));
      reason = ctx.signal.reason;
    });
    const server = testServer({ name: "outer" });
    server.mount("x", child);
    const client = await connect(server, { onElicit: () => ({ action: "accept", content: { confirmed: true } }) });
    if (since("2025-06-18")) {
      const messages: unknown[] = [];
      expect((await client.callTool("x__book", {}, { onProgress: ({ message }) => void messages.push(message) })).text).toBe(
        "booked",
      );
      expect(messages).toContain("half");
    }
    const abort = new AbortController();
    const call = client.callTool("x__wait", {}, { signal: abort.signal }).catch((error: unknown) => error);
    await waiting;
    abort.abort(new Error("enough"));
    expect(await call).toMatchObject({ message: "enough" });
    await expect.poll(() => reason).toBeDefined();
  });

  it("follows its source: added, changed, disabled and removed", async () => {
    const child = createChild();
    const server = testServer({ name: "outer" });
    const mount = server.mount("x", child, { only: { kinds: ["tool"] } });
    const client = await connect(server);
    const handle = child.tool("late", {}, () => "1");
    expect(await toolsOf(client)).toEqual(["x__add", "x__late"]);
    handle.update({ description: "new" });
    expect((await client.listTools()).tools[1]).toMatchObject({ name: "x__late", description: "new" });
    handle.disable();
    expect((await failureOf(client.callTool("x__late"))).message).toContain("Unknown tool: x__late");
    handle.enable();
    expect((await client.callTool("x__late")).text).toBe("1");
    handle.remove();
    expect(await toolsOf(client)).toEqual(["x__add"]);
    expect((await failureOf(client.readResource("note://today"))).message).toBeDefined();
    await mount.unmount();
    expect(await toolsOf(client)).toEqual([]);
    child.tool("unseen", {}, () => "");
    expect(await toolsOf(client)).toEqual([]);
  });

  it("runs the middleware of its server inside the one of the outer server, with its own lifespan", async () => {
    const order: string[] = [];
    const child = new McpServer({ name: "child", version: "1" }, { lifespan: () => "of the child" });
    const noted = (who: string) => (next: (ctx: never) => unknown) => (ctx: { params: { name?: string }; lifespan: unknown }) => {
      if (ctx.params.name !== undefined) order.push(`${who}: ${ctx.params.name}, ${String(ctx.lifespan)}`);
      return next(ctx as never);
    };
    child.use(noted("child") as never);
    child.tool("where", {}, (_input, ctx) => `${ctx.lifespan}, ${ctx.principal}`);
    const server = new McpServer({ name: "outer", version: "1" }, { lifespan: () => "of the outer" });
    server.use(noted("outer") as never);
    server.use((next) => (ctx: RequestContext<string>) => {
      ctx.principal = "ada";
      return next(ctx);
    });
    server.mount("x", child);
    const client = await connect(server);
    expect((await client.callTool("x__where")).text).toBe("of the child, ada");
    expect(order).toEqual(["outer: x__where, of the outer", "child: where, of the child"]);
  });

  it("obeys the rules of its server, of the mount and of the outer server", async () => {
    const child = testServer({ name: "child" });
    child.tool("own", { visible: isAda }, () => "");
    child.tool("ruled", { tags: ["admin"] }, () => "");
    child.tool("open", {}, () => "");
    const server = testServer({ name: "outer" });
    server.mount("a", child);
    child.visible((caller, { options }) => !options.tags?.includes("admin") || isAda(caller));
    server.mount("b", child, { visible: isAda });
    const as = (name: string): Promise<Client> => connect(server, { clientInfo: { name, version: "1" } });
    const [ada, bob] = [await as("ada"), await as("bob")];
    expect(await toolsOf(bob)).toEqual(["a__open"]);
    expect(await toolsOf(ada)).toEqual(["a__own", "a__ruled", "a__open", "b__own", "b__ruled", "b__open"]);
    for (const name of ["a__own", "a__ruled", "b__open"])
      expect((await failureOf(bob.callTool(name))).message).toContain(`Unknown tool: ${name}`);
    expect((await ada.callTool("b__ruled")).isError).toBe(false);
  });

  it("shows clients other URIs, both ways", async () => {
    const child = createChild();
    child.tool("link", {}, () => [{ type: "resource_link", name: "n", uri: "note://today" }] as const);
    const server = testServer({ name: "outer" });
    server.mount("x", child, { uris: (uri) => uri.replace("note://", "x+note://") });
    const client = await connect(server);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["x+note://today", "x+note://sunday"]);
    expect((await client.readResource("x+note://today")).contents).toMatchObject([{ uri: "x+note://today", text: "milk" }]);
    expect((await client.readResource("x+note://a%20b")).contents).toMatchObject([
      { uri: "x+note://a%20b", text: "notes of a b" },
    ]);
    if (since("2025-06-18")) expect((await client.callTool("x__link")).content).toMatchObject([{ uri: "x+note://today" }]);
    expect((await failureOf(client.readResource("note://today"))).message).toBeDefined();
  });

  it("tells clients of its changes, and of a resource that they watch", async () => {
    const child = createChild();
    const server = testServer({ name: "outer" });
    server.mount("x", child, { uris: (uri) => `x+${uri}` });
    const client = await connect(server);
    const stream = await client.listen({ tools: true, resources: ["x+note://today"] });
    const changes = stream[Symbol.asyncIterator]();
    child.resourceUpdated("note://today");
    expect((await changes.next()).value).toEqual({ kind: "resource", uri: "x+note://today" });
    child.tool("late", {}, () => "");
    expect((await changes.next()).value).toEqual({ kind: "tools" });
  });

  it("lists resources with its own lifespan", async () => {
    const child = new McpServer({ name: "child", version: "1" }, { lifespan: () => ["note://1", "note://2"] });
    child.resourceTemplate("note://{id}", { list: (ctx) => ctx.lifespan }, ({ id }) => id);
    const server = testServer({ name: "outer" });
    server.mount("x", child);
    const client = await connect(server);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["note://1", "note://2"]);
  });

  it("has tools that become tasks of the outer server", async () => {
    if (!since("2025-11-25")) return;
    const child = new McpServer({ name: "child", version: "1" }, { extensions: [tasks()], lifespan: () => "of the child" });
    child.tool("slow", { task: true }, async (_input, ctx) => {
      await Promise.resolve();
      return `${ctx.task?.id === undefined ? "call" : "task"} ${ctx.lifespan}`;
    });
    const server = testServer({ name: "outer", extensions: [tasks()] });
    server.mount("x", child);
    const client = await connect(server, { extensions: [tasks()] });
    const seen: string[] = [];
    const { text } = await client.callTool("x__slow", {}, { onTask: ({ status }) => void seen.push(status) });
    expect(text).toBe("task of the child");
    expect(seen).toContain("completed");
  });

  it("can be a group of servers", async () => {
    const upstream = createChild("files");
    upstream.tool("slow", {}, async (_input, ctx) => {
      await ctx.progress(1, 2, "half");
      return "done";
    });
    const group = await ClientSessionGroup.connect({ files: upstream }, { readyTimeout: Infinity });
    onTestFinished(() => group.close());
    await group.settled();
    const [server, between] = [testServer({ name: "outer" }), testServer({ name: "between" })];
    between.mount("web", group);
    server.mount("all", between);
    const client = await connect(server);
    expect(await toolsOf(client)).toEqual(["all__web__files__add", "all__web__files__slow"]);
    expect((await client.callTool("all__web__files__add", { a: 1, b: 2 })).text).toBe('{"sum":3}');
    const messages: unknown[] = [];
    await client.callTool(
      "all__web__files__slow",
      {},
      { onProgress: ({ message, progress }) => void messages.push(message ?? progress) },
    );
    expect(messages).toEqual([since("2025-03-26") ? "half" : 1]);
    expect((await client.getPrompt("all__web__files__greet", { who: "Ada" })).messages).toMatchObject([
      { content: { text: "Greet Ada." } },
    ]);
    expect((await client.readResource("note://today")).contents).toMatchObject([{ text: "milk" }]);
    expect((await client.readResource("note://friday")).contents).toMatchObject([{ text: "notes of friday" }]);
    const ref = { type: "ref/prompt", name: "all__web__files__greet" } as const;
    expect((await client.complete({ ref, argument: { name: "who", value: "" } })).completion.values).toEqual(["Ada", "Bob"]);
    await group.disconnect("files");
    expect(await toolsOf(client)).toEqual([]);
    await group.add({ again: upstream });
    await group.settled();
    expect(await toolsOf(client)).toEqual(["all__web__again__add", "all__web__again__slow"]);
  });

  it("is hidden and shown by handlers of its own, by its own names", async () => {
    const child = testServer({ name: "child" });
    child.tool("pay", { hidden: true }, () => "paid");
    child.tool("choose", {}, (_input, ctx) => ctx.show("pay"));
    const server = testServer({ name: "outer" });
    server.use((next) => (ctx) => {
      ctx.principal = "ada";
      return next(ctx);
    });
    server.mount("x", child);
    const client = await connect(server);
    expect(await toolsOf(client)).toEqual(["x__choose"]);
    await client.callTool("x__choose");
    expect(await toolsOf(client)).toEqual(["x__pay", "x__choose"]);
    expect((await client.callTool("x__pay")).text).toBe("paid");
  });
});

describe("Mounts", () => {
  const outer = (): McpServer => testServer({ name: "outer", onError: () => undefined });

  it("refuse a name that is in use, a bad prefix, themselves and a circle", () => {
    const server = outer();
    server.tool("x__add", {}, () => "");
    expect(() => server.mount("x", createChild())).toThrow('Mount "x": the tool "x__add" is registered already');
    expect(() => server.mount("y", createChild(), { only: { kinds: ["tool"] } }).source).not.toThrow();
    expect(() => server.mount("a__b", createChild())).toThrow(RangeError);
    expect(() => server.mount("z", server)).toThrow("cannot mount itself");
    expect(() => server.mount("z", only(server, { kinds: ["tool"] }))).toThrow("cannot mount itself");
    const child = createChild();
    child.mount("up", server);
    expect(() => server.mount("down", child)).toThrow("cannot mount itself, or one that has mounted it");
    expect(() => server.mount("w", createChild(), { prefix: true } as never)).toThrow('Unknown option "prefix"');
    expect([...sourceOf(server).entries("prompt")]).toEqual([]);
    const twice = (): McpServer => testServer({ mounts: { a__b: createChild() } });
    expect(twice).toThrow(RangeError);
    const both = { mounts: { x: createChild(), y: createChild() } }; // both have the same URIs
    expect(() => testServer(both)).toThrow('Mount "y": the resource "note://today" is registered already');
  });

  it("keep the first of two equal names that come later, and report the second", () => {
    const errors: unknown[] = [];
    const server = testServer({ name: "outer", onError: (error) => errors.push(error) });
    const child = testServer({ name: "child" });
    server.mount("x", child);
    server.tool("x__late", { title: "first" }, () => "");
    child.tool("late", { title: "second" }, () => "");
    expect(sourceOf(server).find("tool", "x__late")?.options.title).toBe("first");
    expect(errors.map(String)).toEqual(['McpUsageError: The tool "x__late" is registered already']);
  });

  it("open a lifespan once for two servers, and close it with the last of them", async () => {
    const seen: string[] = [];
    const lifespan = (): object => {
      seen.push("open");
      return { [Symbol.dispose]: () => seen.push("close") };
    };
    const child = new McpServer({ name: "child", version: "1" }, { lifespan });
    child.tool("t", {}, (_input, ctx) => typeof ctx.lifespan);
    const [one, two] = [outer(), outer()];
    for (const server of [one, two]) server.mount("x", child);
    for (const server of [one, two]) await server.begin();
    expect(seen).toEqual(["open"]);
    await one.close();
    expect(seen).toEqual(["open"]);
    await two.close();
    expect(seen).toEqual(["open", "close"]);
    await child.close();
    expect(seen).toEqual(["open", "close"]);
  });

  it("fail the start of their server if the lifespan cannot be opened, and try again", async () => {
    let fails = true;
    const child = new McpServer(
      { name: "child", version: "1" },
      {
        lifespan: () => {
          if (fails) throw new Error("no database");
          return 1;
        },
      },
    );
    const server = outer();
    server.mount("x", child);
    await expect(server.begin()).rejects.toThrow("no database");
    fails = false;
    await expect(server.begin()).resolves.toBeUndefined();
  });

  it("a tool that becomes a task needs the tasks of the outer server", () => {
    const child = testServer({ name: "child", extensions: [tasks()] });
    child.tool("fast", {}, () => "");
    child.tool("slow", { task: true }, () => "");
    const without = outer();
    expect(() => without.mount("x", child)).toThrow('Tool "x__slow": "task" needs tasks()');
    expect([...sourceOf(without).entries("tool")]).toEqual([]);
    const server = testServer({ name: "outer", extensions: [tasks()] });
    expect(server.mount("x", child).prefix).toBe("x");
  });
});
