/** Whatever way servers are joined: a resource is found by the spellings of its URI that clients write who parse URIs. */
import { describe, expect, it, test } from "vitest";
import { connect, McpServer } from "tenon";
import { createGateway, type Policy } from "tenon/gateway";
import { WAYS } from "./ways.ts";

/** A server with two resources and a template; each result says what was asked for. */
function library(name: string): McpServer {
  const server = new McpServer({ name, version: "1" });
  server.resource(`${name}://Shelf/my%20book`, {}, () => `${name}: my book`);
  server.resource(`${name}://shelf/café`, {}, () => `${name}: café`);
  server.resourceTemplate(`${name}://Desk/{page}`, {}, ({ page }) => `${name}: page ${page}`);
  return server;
}

describe.each(WAYS)("$name of two servers with resources", ({ join }) => {
  it.each([
    ["b://Shelf/my%20book#part", "b: my book"],
    ["b://Shelf/my book", "b: my book"],
    ["b://shelf/my%20book", "b: my book"],
    ["B://Shelf/m%79%20book", "b: my book"],
    ["b://shelf/caf%c3%a9", "b: café"],
    ["b://desk/7", "b: page 7"],
    ["b://DESK/%37#part", "b: page 7"],
  ])("finds %s [FD-81 FD-84]", async (uri, text) => {
    const joined = await join({ a: library("a"), b: library("b") });
    await expect.poll(() => joined.uris()).toHaveLength(4);
    expect(await joined.read(uri)).toBe(text);
    await joined.close();
  });
});

describe("a policy of a gateway", () => {
  const ONLY_PUBLIC: Policy = ({ kind, name }) => kind === "template" || !name.startsWith("a://desk/secret");

  test.each(["a://desk/secret", "a://Desk/secret", "a://desk/%73ecret", "A://desk/secret", "a://desk/secret#part"])(
    "is asked about %s in its normal form, whatever a template makes of it",
    async (uri) => {
      await using gateway = createGateway({
        readyTimeout: 60_000,
        servers: { a: library("a"), b: library("b") },
        policy: ONLY_PUBLIC,
      });
      await using client = await connect(gateway);
      await expect(client.readResource(uri)).rejects.toThrow("Resource not found");
      expect((await client.readResource("a://desk/open")).contents).toMatchObject([{ text: "a: page open" }]);
    },
  );
});
