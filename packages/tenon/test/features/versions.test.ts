/** Several versions of a tool or a prompt under one name: the newest is listed, the others are called by name. */
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { connect, McpServer, type Client, type JsonObject, type ProtocolVersion, type Tool } from "tenon";
import { only, rename, transform, without } from "tenon/compose";
import { tasks } from "tenon/ext/tasks";
import { sourceOf, createFetchHandler, type Caller, type EndpointAuth, type FeatureOptions } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeInProcess, describeMatrix, REVISIONS } from "../support/matrix.ts";
import { turn } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

const VERSION = "dev.tenon/version";
const isAda = ({ client }: Caller): boolean => client.info?.name === "ada";
const ask = (version: unknown): { meta: JsonObject } => ({ meta: { [VERSION]: version } });
const toolsOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);
/** What the list says of each tool's versions. */
const versionsOf = ({ _meta }: Tool): unknown[] => [_meta?.[VERSION], _meta?.["dev.tenon/versions"]];

/** A server with a tool `search` in these versions, which says which one it is. */
function createServer(versions: readonly string[], options: Partial<Record<string, FeatureOptions>> = {}, name = "s"): McpServer {
  const server = new McpServer({ name, version: "1" }, { onError: () => undefined });
  for (const version of versions)
    server.tool(
      "search",
      { ...options[version], version, input: z.object({ [`q${version}`]: z.string().optional() }) },
      () => `v${version}`,
    );
  return server;
}

describeMatrix("Versions of a component", (cell) => {
  const { connect, since } = cell;
  const as = (server: McpServer, name: string): Promise<Client> => connect(server, { clientInfo: { name, version: "1" } });

  it("list the newest, and serve each by its name", async () => {
    const server = createServer(["1.9", "1.10", "1.2"]);
    server.tool("other", {}, () => "other");
    const client = await connect(server);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: "search", inputSchema: { properties: { "q1.10": {} } } }, { name: "other" }]);
    if (since("2025-06-18"))
      expect(tools.map(versionsOf)).toEqual([
        ["1.10", ["1.10", "1.9", "1.2"]],
        [undefined, undefined],
      ]);
    for (const [name, text] of [
      ["search", "v1.10"],
      ["search.v1.10", "v1.10"],
      ["search.v1.9", "v1.9"],
      ["search.v1.2", "v1.2"],
    ] as const)
      // prettier-ignore
      expect((await client.callTool(name)).text).toBe(text);
    const unknown = await failureOf(client.callTool("search.v2"));
    expect([unknown.code, unknown.message]).toEqual([-32602, expect.stringContaining("Unknown tool: search.v2")]);
  });

  it("serve the one that the request's _meta asks for, and no other", async () => {
    const server = createServer(["1", "2"]);
    server.tool("other", {}, () => "other");
    const client = await connect(server);
    expect((await client.callTool("search", {}, ask("1"))).text).toBe("v1");
    expect((await client.callTool("search", {}, ask("2"))).text).toBe("v2");
    expect((await client.callTool("other", {}, ask("1"))).text).toBe("other");
    for (const version of ["3", "", 1, null, { x: 1 }]) {
      const unknown = await failureOf(client.callTool("search", {}, ask(version)));
      expect([unknown.code, unknown.message]).toEqual([
        -32602,
        expect.stringContaining(`Unknown tool: search, version ${JSON.stringify(version)}`),
      ]);
    }
    const nowhere = await failureOf(client.callTool("nothing", {}, ask("1")));
    expect(nowhere.message).toContain('Unknown tool: nothing, version "1"');
  });

  it("check the arguments of their own", async () => {
    const server = testServer();
    server.tool("add", { version: "1", input: z.object({ a: z.number() }) }, ({ a }) => `${a}`);
    server.tool("add", { version: "2", input: z.object({ a: z.string() }) }, ({ a }) => a);
    const client = await connect(server);
    expect([(await client.callTool("add", { a: "x" })).isError, (await client.callTool("add.v1", { a: "x" })).isError]).toEqual([
      false,
      true,
    ]);
  });

  it("of prompts are listed, got and completed", async () => {
    const server = testServer();
    for (const version of ["2", "10"]) {
      const input = z.object({ who: z.string() });
      server.prompt("greet", { version, input, complete: { who: () => [`of ${version}`] } }, ({ who }) => `${version} ${who}`);
    }
    const client = await connect(server);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet"]);
    const texts = async (name: string, options = {}): Promise<unknown> =>
      (await client.getPrompt(name, { who: "Ada" }, options)).messages.map(({ content }) => "text" in content && content.text);
    expect([await texts("greet"), await texts("greet.v2"), await texts("greet", ask("2"))]).toEqual([
      ["10 Ada"],
      ["2 Ada"],
      ["2 Ada"],
    ]);
    expect((await failureOf(client.getPrompt("greet.v3"))).message).toContain("Unknown prompt: greet.v3");
    const completed = async (name: string, options = {}): Promise<readonly string[]> =>
      (await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: "who", value: "" } }, options)).completion
        .values;
    expect([await completed("greet"), await completed("greet.v2"), await completed("greet", ask("2"))]).toEqual([
      ["of 10"],
      ["of 2"],
      ["of 2"],
    ]);
  });

  it("elect for each caller the newest that it may see", async () => {
    const server = createServer(["1", "2", "3"], { 2: { visible: isAda }, 3: { hidden: true } });
    const [ada, bob] = [await as(server, "ada"), await as(server, "bob")];
    expect([(await ada.callTool("search")).text, (await bob.callTool("search")).text]).toEqual(["v2", "v1"]);
    const [seenByAda, seenByBob] = [(await ada.listTools()).tools, (await bob.listTools()).tools];
    expect([seenByAda, seenByBob]).toMatchObject([
      [{ name: "search", inputSchema: { properties: { q2: {} } } }],
      [{ name: "search", inputSchema: { properties: { q1: {} } } }],
    ]);
    if (since("2025-06-18"))
      expect([seenByAda, seenByBob].flat().map(versionsOf)).toEqual([
        ["2", ["2", "1"]],
        ["1", ["1"]],
      ]);
    // Hidden and never registered are one answer.
    const messages = await Promise.all(
      ["search.v2", "search.v7"].map(async (name) => (await failureOf(bob.callTool(name))).message),
    );
    expect(messages[0]!.replace("v2", "v7")).toBe(messages[1]);
    const asked = await Promise.all(
      ["2", "7"].map(async (version) => (await failureOf(bob.callTool("search", {}, ask(version)))).message),
    );
    expect(asked[0]!.replace('"2"', '"7"')).toBe(asked[1]);
  });

  it("are on the page of the one that is listed", async () => {
    const server = testServer({ pageSize: 1 });
    for (const [name, version] of [
      ["a", "2"],
      ["b", undefined],
      ["a", "1"],
      ["c", "1"],
      ["c", "2"],
    ] as const)
      // prettier-ignore
      server.tool(name, version === undefined ? {} : { version }, () => "");
    const client = await connect(server);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor });
      names.push(page.tools.map(({ name }) => name).join("+"));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(names).toEqual(["a", "b", "c"]);
  });

  it("change while clients are connected", async () => {
    const server = createServer(["1"]);
    const client = await connect(server);
    const now = async (): Promise<string> => (await client.callTool("search")).text;
    const second = server.tool("search", { version: "2" }, () => "v2");
    expect([await now(), await toolsOf(client)]).toEqual(["v2", ["search"]]);
    second.disable();
    expect(await now()).toBe("v1");
    expect((await failureOf(client.callTool("search.v2"))).message).toContain("Unknown tool: search.v2");
    second.enable();
    second.update({ description: "newer" });
    expect([await now(), (await client.listTools()).tools]).toMatchObject(["v2", [{ description: "newer" }]]);
    second.remove();
    expect(await now()).toBe("v1");
    server.tool("search", { version: "2" }, () => "again");
    expect(await now()).toBe("again");
  });

  it("are mounted with their versions, live and two mounts deep", async () => {
    const [outer, middle] = [testServer({ name: "outer" }), testServer({ name: "middle" })];
    const child = createServer(["1", "2"]);
    const seen: unknown[] = [];
    child.use("tools/call", (next) => (ctx) => {
      seen.push(ctx.params.name);
      return next(ctx);
    });
    middle.mount("in", child);
    const mount = outer.mount("mid", middle);
    const client = await connect(outer);
    const call = async (name: string, options = {}): Promise<string> => (await client.callTool(name, {}, options)).text;
    expect(await toolsOf(client)).toEqual(["mid__in__search"]);
    expect([await call("mid__in__search"), await call("mid__in__search.v1"), await call("mid__in__search", ask("1"))]).toEqual([
      "v2",
      "v1",
      "v1",
    ]);
    expect(seen).toEqual(["search.v2", "search.v1", "search.v1"]);
    const third = child.tool("search", { version: "3" }, () => "v3");
    expect([await call("mid__in__search"), await toolsOf(client)]).toEqual(["v3", ["mid__in__search"]]);
    third.remove();
    expect(await call("mid__in__search")).toBe("v2");
    await mount.unmount();
    expect(await toolsOf(client)).toEqual([]);
  });

  it("are selected, left out, renamed and transformed", async () => {
    const child = createServer(["1", "2", "10"]);
    const outer = testServer({ name: "outer" });
    outer.mount("one", only(child, { version: "1" }));
    outer.mount("old", without(child, { version: "10" }));
    outer.mount(
      "all",
      rename(child, ({ id }) => `find_${id}`),
    );
    outer.mount("new", transform(child, { search: { name: "look", describe: "Looks" } }));
    const client = await connect(outer);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(["all__find_search", "new__look", "old__search", "one__search"]);
    const call = async (name: string): Promise<string> => (await client.callTool(name)).text;
    expect(
      await Promise.all(["one__search", "old__search", "old__search.v1", "all__find_search", "all__find_search.v2"].map(call)),
    ).toEqual(["v1", "v2", "v1", "v10", "v2"]);
    expect([await call("new__look"), await call("new__look.v1")]).toEqual(["v10", "v1"]);
    expect(tools.find(({ name }) => name === "new__look")?.description).toBe("Looks");
    expect(only(child, { version: "1" }).find("tool", "search")?.options.version).toBe("1");
    expect(
      [sourceOf(child).find("tool", "search"), rename(child, () => "x").find("tool", "x")].map((found) => found?.options.version),
    ).toEqual(["10", "10"]);
    expect(only(child, { version: "3" }).find("tool", "search")).toBeUndefined();
  });

  it("are hidden and shown for a session, all or one of them", async () => {
    const server = createServer(["1", "2"]);
    server.use((next) => (ctx) => {
      ctx.principal = "ada";
      return next(ctx);
    });
    server.tool("hide", { input: { type: "object" } }, (given, ctx) => ctx.hide(given as { version: string }));
    server.tool("reset", {}, (_input, ctx) => ctx.resetVisibility());
    const client = await connect(server);
    await client.callTool("hide", { names: ["search"], version: "2" });
    expect((await client.callTool("search")).text).toBe("v1");
    await client.callTool("hide", { names: ["search"] });
    expect([(await failureOf(client.callTool("search"))).message, await toolsOf(client)]).toEqual([
      expect.stringContaining("Unknown tool: search"),
      ["hide", "reset"],
    ]);
    await client.callTool("reset");
    expect((await client.callTool("search")).text).toBe("v2");
  });

  it("are tasks if they have that option", async () => {
    const server = testServer({ extensions: [tasks()] });
    server.tool("build", { version: "1", task: true }, () => "v1");
    server.tool("build", { version: "2", task: true }, () => "v2");
    const client = await connect(server);
    expect([(await client.callTool("build")).text, (await client.callTool("build.v1")).text]).toEqual(["v2", "v1"]);
  });
});

describeInProcess("A change of versions", ({ connect }) => {
  it("notifies once, and only those who see the version", async () => {
    const server = createServer(["1", "2"], { 1: { visible: () => true } });
    // What a server loads with its first rule is there, so that few turns are enough.
    await import("../../src/server/visibility/visibility.ts");
    const heard: Record<string, number> = { ada: 0, bob: 0 };
    for (const name of ["ada", "bob"]) {
      const client = await connect(server, { clientInfo: { name, version: "1" } });
      await client.listTools();
      const stream = await client.listen({ tools: true });
      const read = async (): Promise<void> => {
        for await (const _ of stream) heard[name]!++;
      };
      read().catch(() => undefined);
    }
    server.tool("search", { version: "3", visible: isAda }, () => "v3");
    for (let turns = 0; turns < 5; turns++) await turn();
    expect(heard).toEqual({ ada: 1, bob: 0 });
  });
});

/** Clients whose token has no scope. */
const AUTH: EndpointAuth = {
  authorize: () => ({ auth: { issuer: "https://as.example", scopes: [], claims: {} }, principal: "ada", until: Infinity }),
  insufficientScope: () => ({ status: 403, headers: ["www-authenticate", "Bearer"], message: "Insufficient scope" }),
};

describe.each(REVISIONS.filter((revision) => revision !== "2024-11-05"))(
  "The scopes of a version, %s",
  (revision: ProtocolVersion) => {
    it("are required of calls for it, and of no others", async () => {
      const server = createServer(["1", "2"], { 2: { scopes: ["write"] } });
      for (const version of ["1", "2"])
        server.prompt("greet", { version, ...(version === "2" && { scopes: ["write"] }) }, () => `v${version}`);
      const handler = createFetchHandler(server, { auth: AUTH });
      onTestFinished(() => handler.close());
      const client = await connect(
        { url: "http://localhost/mcp", fetch: (url, init) => handler(new Request(url, init)) },
        { revision },
      );
      onTestFinished(() => client.close());
      const outcome = (call: Promise<unknown>): Promise<string> =>
        call.then(
          () => "served",
          (error: Error) => error.message,
        );
      const served = [
        client.callTool("search.v1"),
        client.callTool("search", {}, ask("1")),
        client.getPrompt("greet", {}, ask("1")),
      ];
      expect(await Promise.all(served.map(outcome))).toEqual(["served", "served", "served"]);
      const refused = [
        client.callTool("search"),
        client.callTool("search.v2"),
        client.getPrompt("greet"),
        client.getPrompt("greet.v2"),
      ];
      for (const message of await Promise.all(refused.map(outcome))) expect(message).toBe("Insufficient scope");
    });
  },
);

describe("Versions", () => {
  it("are refused beside a definition without one, twice, and with other characters", () => {
    const server = createServer(["1", "2"]);
    server.tool("plain", {}, () => "");
    server.tool("plain.v9", {}, () => "");
    const add = (name: string, version?: string) => () => server.tool(name, version === undefined ? {} : { version }, () => "");
    expect(add("search")).toThrow('The tool "search" is registered with versions already: give this one a version too');
    expect(add("search", "1")).toThrow('The tool "search" is registered already as "search.v1"');
    expect(add("search.v1")).toThrow('The tool "search.v1" is registered already');
    expect(add("plain", "1")).toThrow('The tool "plain" is registered without a version already: give that one a version too');
    for (const version of ["", "1 beta", "1+b", "x".repeat(65)])
      expect(add("bad", version)).toThrow(/The tool|tool "bad": the version .* must be 1 to 64/);
    expect(add("bad", 1 as never)).toThrow(new RangeError('tool "bad": the version 1 must be 1 to 64 of A-Z a-z 0-9 _ . -'));
    expect([...sourceOf(server).entries("tool")].map(({ id, options }) => [id, options.version])).toEqual([
      ["search", "1"],
      ["search", "2"],
      ["plain", undefined],
      ["plain.v9", undefined],
    ]);
  });

  it("cannot be changed, and the name is free when the last one is removed", () => {
    const server = testServer();
    const one = server.tool("search", { version: "1" }, () => "");
    const plain = server.prompt("plain", {}, () => "");
    expect(() => one.update({ version: "2" })).toThrow(
      'The version of the tool "search" cannot be changed: register another one',
    );
    expect(() => plain.update({ version: "2" })).toThrow('The version of the prompt "plain" cannot be changed');
    one.update({ version: "1", title: "Search" });
    expect(sourceOf(server).find("tool", "search")?.options.title).toBe("Search");
    one.remove();
    server.tool("search", {}, () => "");
    expect(() => one.enable()).not.toThrow();
    expect([...sourceOf(server).entries("tool")]).toHaveLength(1);
  });

  it("collide with what a mount would add, and nothing is mounted then", () => {
    const child = createServer(["1"]);
    child.tool("other", {}, () => "");
    const server = testServer();
    server.tool("x__search", {}, () => "");
    expect(() => server.mount("x", child)).toThrow(
      'Mount "x": the tool "x__search" is registered without a version already: give that one a version too',
    );
    expect([...sourceOf(server).entries("tool")]).toHaveLength(1);
    const merged = testServer();
    merged.tool("x__search", { version: "2" }, () => "");
    merged.mount("x", child); // a version more
    expect(sourceOf(merged).find("tool", "x__search")?.options.version).toBe("2");
  });

  it("of a resource are a word that filters select by", () => {
    const server = testServer();
    server.resource("note://1", { version: "any word" }, () => "").update({ version: "2" });
    expect([...only(server, { version: "2" }).entries("resource")].map(({ id }) => id)).toEqual(["note://1"]);
  });

  it("have one order, whatever the order of their registration", () => {
    const part = fc.oneof(fc.integer({ min: 0, max: 30 }).map(String), fc.constantFrom("a", "beta", "rc1", "01"));
    // prettier-ignore
    const version = fc.tuple(part, fc.array(fc.tuple(fc.constantFrom(".", "-", "_"), part), { maxLength: 3 }))
      .map(([first, rest]) => [first, ...rest.flat()].join(""));
    const listed = (versions: readonly string[]): string | undefined =>
      sourceOf(createServer(versions)).find("tool", "search")?.options.version;
    fc.assert(
      fc.property(
        fc
          .uniqueArray(version, { minLength: 1, maxLength: 8 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          // prettier-ignore
          const newest = listed(all)!;
          expect(listed(shuffled)).toBe(newest);
          expect(all).toContain(newest);
          // the newest of all is newer than each
          for (const one of all.filter((other) => other !== newest)) expect(listed([one, newest])).toBe(newest);
        },
      ),
    );
    // prettier-ignore
    const oldestFirst = ["0.9", "1", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.10", "1.0.0-rc1", "1.0.0",
      "1.0.1", "1.2", "1.10", "2", "10", "2026-01-02", "2026-01-10", "2026-11-01"];
    oldestFirst.forEach((older, index) => {
      for (const newer of oldestFirst.slice(index + 1)) expect(listed([newer, older])).toBe(newer);
    });
  });
});
