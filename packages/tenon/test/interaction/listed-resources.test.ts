// Resources that a template lists, and list changes that a server declares.
import { expect, it } from "vitest";
import type { McpServer, ResourceTemplateOptions } from "tenon/server";
import * as onServer from "tenon/server";
import * as onClient from "tenon/client";
import type { Client, ServerChange } from "tenon/client";
import { failureOf } from "../support/failure-of.ts";
import { describeInProcess, describeMatrix } from "../support/matrix.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

/** Pages of two notes, and a cursor with characters that base64 has not. */
const PAGES: Readonly<Record<string, { resources: string[]; nextCursor?: string }>> = {
  "": { resources: ["note:///1", "note:///2"], nextCursor: "→:2" },
  "→:2": { resources: ["note:///3"] },
};

function createServer(
  pageSize?: number,
  list: ResourceTemplateOptions["list"] = (_context, cursor = "") => PAGES[cursor]!,
): McpServer {
  const server = testServer({ ...(pageSize && { pageSize }), onError: () => undefined });
  server.resource("fixed:///a", {}, () => "a");
  server.resource("fixed:///b", {}, () => "b");
  server.resourceTemplate("note:///{id}", { mimeType: "text/plain", list }, ({ id }) => `note ${id}`);
  server.resourceTemplate("other:///{id}", { list: () => Promise.resolve([{ uri: "other:///1", name: "One" }]) }, () => "other");
  return server;
}

async function urisOf(client: Client): Promise<string[]> {
  const found: string[] = [];
  for await (const { uri } of client.resources()) found.push(uri);
  return found;
}

const ALL = ["fixed:///a", "fixed:///b", "note:///1", "note:///2", "note:///3", "other:///1"];

describeMatrix("A template that lists its resources", ({ connect }) => {
  it.each([undefined, 1, 2, 3])("is listed after the registered ones, each resource once (page size %s)", async (pageSize) => {
    const client = await connect(createServer(pageSize));
    expect(await urisOf(client)).toEqual(ALL);
    expect((await client.readResource("note:///3")).contents).toMatchObject([{ text: "note 3" }]);
  });

  it("gives its media type and a name to what it lists, and is not itself described by `list`", async () => {
    const client = await connect(createServer());
    const { resources } = await client.listResources();
    expect(resources[2]).toMatchObject({ uri: "note:///1", name: "note:///1", mimeType: "text/plain" });
    const { nextCursor } = await client.listResources();
    expect((await client.listResources({ cursor: nextCursor! })).resources.at(-1)).toMatchObject({
      uri: "other:///1",
      name: "One",
    });
    for await (const template of client.resourceTemplates()) expect(template).not.toHaveProperty("list");
  });

  it("fails the request if it throws, lists too much or gets an invalid cursor", async () => {
    const throwing = await connect(
      createServer(undefined, () => {
        throw new Error("secret");
      }),
    );
    expect(await failureOf(throwing.listResources())).toMatchObject({ code: -32603, message: "Internal error" });
    const many = await connect(createServer(undefined, () => Array.from({ length: 10_001 }, (_, n) => `note:///${n}`)));
    expect(await failureOf(many.listResources())).toMatchObject({ code: -32603, data: { max: 10_000 } });
    const client = await connect(createServer());
    for (const cursor of [btoa("list:99:"), btoa("list:1:%"), "x"])
      expect(await failureOf(client.listResources({ cursor }))).toMatchObject({ code: -32602 });
  });
});

describeInProcess("A list that a server says has changed", ({ connect }) => {
  it("reaches clients that listen, once for all calls of a turn", async () => {
    const clock = new VirtualClock();
    const server = testServer({ clock });
    server.tool("t", {}, () => "");
    server.prompt("p", {}, () => "");
    server.resource("a://1", {}, () => "1");
    const client = await connect(server, { clock });
    const changes: ServerChange[] = [];
    const stream = await client.listen({ tools: true, prompts: true, resources: true });
    void (async () => {
      for await (const change of stream) changes.push(change);
    })().catch(() => undefined);
    for (const list of ["tools", "prompts", "resources", "resources"] as const) server.listChanged(list);
    await turn();
    expect(changes).toEqual([{ kind: "tools" }, { kind: "prompts" }, { kind: "resources" }]);
  });
});

it("both sides export the errors that they can meet", () => {
  for (const name of [
    "McpError",
    "ErrorCode",
    "LimitExceededError",
    "RequestTimeoutError",
    "ResourceNotFoundError",
    "ConnectionClosedError",
  ]) {
    expect(onServer).toHaveProperty(name);
    expect(onClient).toHaveProperty(name);
  }
  expect(onServer).toHaveProperty("NoBackChannelError");
});
