/** Whatever way servers are joined: views and skills of several servers work, also if their URIs are equal. */
import { describe, expect, it } from "vitest";
import { connect, McpServer, type JsonObject } from "tenon";
import { apps } from "tenon/ext/apps";
import { ClientSessionGroup } from "tenon/group";
import { WAYS, type SeenTool } from "./ways.ts";

const VIEW = "ui://show/view.html";
const SKILL = "skill://greeting/SKILL.md";

/** A server with a tool that has a view, and a skill; all servers have the same URIs. */
function shop(name: string): McpServer {
  const server = new McpServer({ name, version: "1" }, { extensions: [apps()] });
  server.tool("show", { ui: { view: `<!doctype html><title>${name}</title>`, uri: VIEW } }, () => "shown");
  server.resource(SKILL, { mimeType: "text/markdown" }, () => `the skill of ${name}`);
  return server;
}

/** The view that a listed tool names. */
function pageOf(tools: readonly SeenTool[], name: string): string {
  const meta = tools.find((tool) => tool.name === name)?._meta as { ui?: JsonObject } | undefined;
  return String(meta?.ui?.["resourceUri"]);
}

describe.each(WAYS)("$name", ({ join }) => {
  it("serves the view that each listed tool names, if two servers have one URI", async () => {
    const joined = await join({ a: shop("a"), b: shop("b") });
    await expect.poll(async () => (await joined.tools()).map(({ name }) => name)).toEqual(["a__show", "b__show"]);
    const tools = await joined.tools();
    const pages = ["a", "b"].map((name) => pageOf(tools, `${name}__show`));
    expect(new Set(pages).size).toBe(2);
    for (const page of pages) expect(page).toMatch(/^ui:\/\//);
    expect(await joined.read(pages[0]!)).toContain("<title>a</title>");
    expect(await joined.read(pages[1]!)).toContain("<title>b</title>");
    expect(joined.errors).toEqual([]);
    await joined.close();
  });

  it("serves skills with one URI, each by a URI of its own", async () => {
    const joined = await join({ a: shop("a"), b: shop("b") });
    const skills = async (): Promise<string[]> => (await joined.addresses()).filter((address) => address.includes("skill"));
    await expect.poll(skills).toHaveLength(2);
    const addresses = await skills();
    expect(await Promise.all(addresses.map((address) => joined.read(address)))).toEqual(["the skill of a", "the skill of b"]);
    expect(joined.errors).toEqual([]);
    await joined.close();
  });
});

describe("a mount", () => {
  it("names the view of a tool by the URI that `uris` gives it", async () => {
    const server = new McpServer({ name: "all", version: "1" });
    server.mount("a", shop("a"), { uris: (uri) => uri.replace("://", "://a-") });
    await using client = await connect(server);
    const { tools } = await client.listTools();
    const page = pageOf(tools, "a__show");
    expect(page).toBe("ui://a-show/view.html");
    expect(JSON.stringify(await client.readResource(page))).toContain("<title>a</title>");
  });

  it("gives a view an alias that is registered after the mount, and renames the tool that names it", async () => {
    const server = new McpServer({ name: "all", version: "1" });
    const later = new McpServer({ name: "b", version: "1" }, { extensions: [apps()] });
    server.mount("a", shop("a"));
    server.mount("b", later);
    later.tool("show", { ui: { view: "<!doctype html><title>b</title>", uri: VIEW } }, () => "shown");
    await using client = await connect(server);
    const page = pageOf((await client.listTools()).tools, "b__show");
    expect(page).toBe("ui://b+show/view.html");
    expect(JSON.stringify(await client.readResource(page))).toContain("<title>b</title>");
  });

  it("serves the views and skills of the servers of a group", async () => {
    const group = await ClientSessionGroup.connect({ a: shop("a"), b: shop("b") }, { readyTimeout: Infinity });
    const server = new McpServer({ name: "all", version: "1" });
    server.mount("g", group);
    await using client = await connect(server);
    const { tools } = await client.listTools();
    for (const name of ["a", "b"])
      expect(JSON.stringify(await client.readResource(pageOf(tools, `g__${name}__show`)))).toContain(`<title>${name}</title>`);
    const skills = (await client.listResources()).resources.map(({ uri }) => uri).filter((uri) => uri.includes("skill"));
    const texts = await Promise.all(skills.map(async (uri) => (await client.readResource(uri)).contents));
    expect(texts.flat()).toMatchObject([{ text: "the skill of a" }, { text: "the skill of b" }]);
    await group.close();
  });
});
