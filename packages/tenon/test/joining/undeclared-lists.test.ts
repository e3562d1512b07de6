/** Whatever way servers are joined: lists of a server that does not declare `listChanged` are not frozen. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { McpServer } from "tenon";
import { WAYS, type Joined } from "./ways.ts";

const PROGRAM = fileURLToPath(new URL("undeclared-lists.mjs", import.meta.url));

/** The server beside another one with resources, so that no URI goes to the only server that has any. */
function servers(...args: string[]): Parameters<(typeof WAYS)[number]["join"]>[0] {
  const other = new McpServer({ name: "other", version: "1" });
  other.resource("other://1", {}, () => "else");
  return { u: { command: process.execPath, args: [PROGRAM, ...args] }, other: { target: other } };
}

const toolsOf = async (joined: Joined): Promise<string[]> => (await joined.tools()).map(({ name }) => name);

describe.each(WAYS)("$name", ({ join }) => {
  it("believes a notice that the server never promised", async () => {
    const joined = await join(servers("notify"));
    await expect.poll(() => toolsOf(joined), { timeout: 20_000 }).toEqual(["u__grow"]);
    await joined.call("u__grow");
    await expect.poll(() => toolsOf(joined)).toEqual(["u__grow", "u__grown"]);
    await expect.poll(() => joined.uris()).toContain("shot://1");
    expect(await joined.read("shot://1")).toBe("a picture");
    await joined.close();
  });

  it("reads a list again that nothing is announced of, when a client lists it a few seconds later", async () => {
    const joined = await join(servers());
    await expect.poll(() => toolsOf(joined), { timeout: 20_000 }).toEqual(["u__grow"]);
    await joined.call("u__grow");
    await expect.poll(() => toolsOf(joined), { timeout: 20_000, interval: 250 }).toEqual(["u__grow", "u__grown"]);
    await joined.close();
  });

  it("reads the lists again before it refuses a name or a URI", async () => {
    const joined = await join(servers());
    await expect.poll(() => toolsOf(joined), { timeout: 20_000 }).toEqual(["u__grow"]);
    await joined.call("u__grow");
    expect(await joined.read("shot://1")).toBe("a picture");
    expect(await joined.call("u__grown")).toBe("grown");
    await expect(joined.read("shot://2")).rejects.toThrow(/shot:\/\/2|Resource not found/);
    await joined.close();
  });
});
