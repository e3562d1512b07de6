/** Resources, templates, prompts and completions: whose they are. */
import { describe, expect, it } from "vitest";
import { McpServer } from "tenon";
import { ServerUnavailableError, type ClientSessionGroup } from "tenon/group";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, targetOf } from "../support/matrix.ts";
import { failure, result, scriptedServer } from "../support/scripted-server.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { grouped, Outpost } from "./support.ts";
import { testServer } from "../support/test-server.ts";

function library(name: string): McpServer {
  const server = testServer({ name });
  server.resource("shared:r", { name: "r" }, () => `${name} shared`);
  server.resource(`${name}:own`, { name: "r" }, () => `${name} own`);
  server.resourceTemplate(
    `${name}:{id}/x`,
    { name: "t", complete: { id: (value) => [`${value}-${name}`] } },
    ({ id }) => `${name} ${id}`,
  );
  server.resourceTemplate("both:{id}", { name: "t" }, ({ id }) => `${name} both ${id}`);
  const input = { type: "object", properties: { a: { type: "string" } }, required: ["a"] } as const;
  server.prompt("p", { input, complete: { a: (value) => [`${value}+${name}`] } }, ({ a }) => `${name} says ${a}`);
  return server;
}

const textOf = async (group: ClientSessionGroup, uri: string, server?: string): Promise<unknown> => {
  const { contents } = await group.readResource(uri, server === undefined ? {} : { server });
  return (contents[0] as { text: string }).text;
};

describe("Reading", () => {
  it("by its name in the group, listed or by a template [SG-01 SG-19]", async () => {
    const { group } = await grouped({ a: library("a"), b: library("b") });
    expect([...group.resourceTemplates.keys()]).toEqual(["a__a:{id}/x", "a__both:{id}", "b__b:{id}/x", "b__both:{id}"]);
    expect(await textOf(group, "b__shared:r")).toBe("b shared");
    expect(group.resources.get("b__shared:r")?.uri).toBe("shared:r");
  });

  it("by the server's own URI, as results name it, if only one server has it [SG-19]", async () => {
    const { group } = await grouped({ a: library("a"), b: library("b") });
    expect(await textOf(group, "b:own")).toBe("b own");
    expect(await textOf(group, "a:7/x")).toBe("a 7");
    for (const uri of ["shared:r", "both:1"]) {
      const error = await failureOf(group.readResource(uri));
      expect(error).toMatchObject({ code: -32602, data: { servers: ["a", "b"] } });
      expect(error.message).toBe(
        `Several servers have "${uri}": a, b. Use its name in the group, or say which with the option "server"`,
      );
      expect(await textOf(group, uri, "b")).toMatch(/^b /);
    }
    expect(await failureOf(group.readResource("nobody:x"))).toMatchObject({
      code: -32602,
      message: "Unknown resource: nobody:x",
    });
    expect(await failureOf(group.readResource("x:y", { server: "c" }))).toMatchObject({
      code: -32602,
      message: "Unknown server: c",
    });
  });

  it("of a server that is down says so [SG-30]", async () => {
    const post = new Outpost("a");
    post.server.resource("x:y", { name: "r" }, () => "");
    const { group } = await grouped({ a: post.target }, { clock: new VirtualClock() });
    post.die();
    await turn();
    expect(await failureOf(group.readResource("a__x:y"))).toBeInstanceOf(ServerUnavailableError);
    expect(await failureOf(group.readResource("x:y", { server: "a" }))).toBeInstanceOf(ServerUnavailableError);
  });

  it("a template that cannot be matched does not affect others", async () => {
    const odd = scriptedServer({
      "server/discover": failure(-32601),
      initialize: result({
        protocolVersion: "2025-11-25",
        capabilities: { resources: {} },
        serverInfo: { name: "odd", version: "1" },
      }),
      "resources/list": result({ resources: [] }),
      "resources/templates/list": result({ resourceTemplates: [{ name: "t", uriTemplate: "b:{a}{b}/x" }] }),
    });
    const { group } = await grouped({ odd, b: library("b") });
    expect([...group.resourceTemplates.keys()]).toContain("odd__b:{a}{b}/x");
    expect(await textOf(group, "b:9/x")).toBe("b 9");
  });
});

describe("A link of a result", () => {
  it("has the server's own URI if that leads to it alone, and else one of the group that does [SG-19]", async () => {
    const [a, b] = [library("a"), library("b")];
    a.tool("links", {}, () => ({
      content: ["a:own", "a:7/x", "shared:r", "both:1"].map((uri) => ({ type: "resource_link" as const, name: "r", uri })),
    }));
    const { group } = await grouped({ a, b });
    const { content } = await group.callTool("a__links");
    const uris = content.map((link) => (link as { uri: string }).uri);
    expect(uris.slice(0, 2)).toEqual(["a:own", "a:7/x"]);
    expect(await Promise.all(uris.map((uri) => textOf(group, uri)))).toEqual(["a own", "a 7", "a shared", "a both 1"]);
  });
});

describe("Prompts and completions", () => {
  it("go to their owner under its own name for them [SG-01]", async () => {
    const { group } = await grouped({ a: library("a"), b: library("b") });
    const prompt = await group.getPrompt("b__p", { a: "1" });
    expect(prompt.messages[0]?.content).toEqual({ type: "text", text: "b says 1" });
    const argument = (name: string) => ({ name, value: "x" });
    const valuesOf = async (...call: Parameters<ClientSessionGroup["complete"]>): Promise<readonly string[]> =>
      (await group.complete(...call)).completion.values;
    expect(await valuesOf({ ref: { type: "ref/prompt", name: "a__p" }, argument: argument("a") })).toEqual(["x+a"]);
    expect(await valuesOf({ ref: { type: "ref/resource", uri: "b__b:{id}/x" }, argument: argument("id") })).toEqual(["x-b"]);
    expect(await valuesOf({ ref: { type: "ref/resource", uri: "a:{id}/x" }, argument: argument("id") })).toEqual(["x-a"]);
    const unknown = group.complete({ ref: { type: "ref/prompt", name: "p" }, argument: argument("a") });
    expect(await failureOf(unknown)).toMatchObject({ message: "Unknown prompt: p" });
  });
});

describeMatrix("Watching a resource", ({ transport, revision }) => {
  it("announces its changes by its name in the group, until it is unsubscribed [SG-01]", async () => {
    const server = library("a");
    const { group, changes } = await grouped({ a: await targetOf(transport, server) }, { revision, readyTimeout: Infinity });
    await group.subscribeResource("a__shared:r");
    await group.subscribeResource("shared:r");
    changes.length = 0;
    server.resourceUpdated("shared:r");
    const change = { kind: "resource", server: "a", name: "a__shared:r", uri: "shared:r" };
    await expect.poll(() => changes).toEqual([change]);
    await group.unsubscribeResource("a__shared:r");
    await group.subscribeResource("a__a:own");
    server.resourceUpdated("shared:r");
    server.resourceUpdated("a:own");
    await expect.poll(() => changes).toEqual([change, { kind: "resource", server: "a", name: "a__a:own", uri: "a:own" }]);
  });
});

describe("Watching a resource", () => {
  it("goes on over the connections of its server, and changes that may have been missed are announced [SG-30]", async () => {
    const clock = new VirtualClock();
    const post = new Outpost("a");
    post.server.resource("x:y", { name: "r" }, () => "");
    const { group, changes, errors } = await grouped({ a: post.target }, { clock });
    await group.subscribeResource("a__x:y");
    post.die();
    await clock.advance(1_000);
    const change = { kind: "resource", server: "a", name: "a__x:y", uri: "x:y" };
    await expect.poll(() => changes.filter(({ kind }) => kind === "resource")).toEqual([change]);
    post.server.resourceUpdated("x:y");
    await expect.poll(() => changes.filter(({ kind }) => kind === "resource")).toEqual([change, change]);
    expect(errors).toEqual(["a: Connection closed"]);
    await group.unsubscribeResource("a__x:y");
    post.die();
    await clock.advance(1_000);
    await turn();
    expect(changes.filter(({ kind }) => kind === "resource")).toHaveLength(2);
  });

  it("fails where the server does not let it be watched, and can be tried again", async () => {
    const post = new Outpost("a", "t");
    const { group } = await grouped({ a: post.target }, { revision: "2025-11-25" });
    for (let time = 0; time < 2; time++) await failureOf(group.subscribeResource("x:y", { server: "a" }));
    expect((await group.callTool("a__t")).text).toBe("a.t");
  });
});
