/** Older versions of tools and prompts have names in a group too, though servers do not list them. */
import { expect, it } from "vitest";
import { McpServer } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, targetOf } from "../support/matrix.ts";
import { grouped } from "./support.ts";
import { testServer } from "../support/test-server.ts";

function shop(): McpServer {
  const server = testServer({ name: "shop" });
  for (const version of ["1", "1.v2", "2"]) {
    server.tool("search", { version }, () => `search ${version}`);
    server.prompt("greet", { version }, () => `greet ${version}`);
  }
  server.tool("plain.v1", {}, () => "plain");
  return server;
}

describeMatrix("Versions in a group", ({ transport, revision }) => {
  it("the newest has the name, and older ones their own names", async () => {
    const { group } = await grouped({ shop: await targetOf(transport, shop()) }, { revision, readyTimeout: Infinity });
    expect([...group.tools.values()].map(({ name }) => name)).toEqual(["search", "plain.v1"]);
    const called = async (name: string): Promise<string> => (await group.callTool(name)).text;
    expect(await called("shop__search")).toBe("search 2");
    expect(await called("shop__search.v1")).toBe("search 1");
    expect(await called("shop__search.v1.v2")).toBe("search 1.v2");
    expect(await called("shop__search.v2")).toBe("search 2");
    const { messages } = await group.getPrompt("shop__greet.v1");
    expect(messages).toMatchObject([{ content: { text: "greet 1" } }]);
    const unknown = async (name: string): Promise<unknown> => (await failureOf(group.callTool(name))) as unknown;
    expect(await unknown("shop__search.v3")).toMatchObject({ code: -32602, message: "Unknown tool: search.v3" });
    for (const name of ["shop__search.v", "shop__other.v1", ".v1", "shop__search.v1 ", `shop__search.v${"1".repeat(65)}`]) {
      expect(await unknown(name)).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
    }
  });
});
