/** Tools and prompts registered while the server serves, whose schemas turn out to be of no use. */
import { expect, it } from "vitest";
import type { McpServerOptions } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const object = (text: object): { type: "object"; properties: { text: object } } => ({ type: "object", properties: { text } });
const BEHIND = object({ type: "string", pattern: "(?<=a)b" });
const NOWHERE = object({ $ref: "#/$defs/Text" });
const OUTSIDE = object({ $ref: "https://example.com/schema.json" });
const FINE = { ...object({ $ref: "#/$defs/Text" }), $defs: { Text: { type: "string", pattern: "^[a-z]+$" } } };

describeMatrix("Registered while serving", ({ connect }) => {
  it("a tool that cannot be used is disabled and reported by name; the others still work [R9 A8.3]", async () => {
    const reports: [string, Parameters<NonNullable<McpServerOptions["onError"]>>[1]][] = [];
    const server = testServer({ onError: (error, report) => void reports.push([(error as Error).message, report]) });
    server.tool("early", { input: FINE }, () => "early");
    server.prompt("early", {}, () => "early");
    const first = await connect(server);
    expect((await first.listTools()).tools).toHaveLength(1);

    const behind = server.tool("behind", { input: BEHIND }, () => "never");
    server.tool("nowhere", { output: NOWHERE }, () => ({}));
    server.prompt("outside", { input: OUTSIDE }, () => "never");
    server.tool("fine", { input: FINE }, () => "fine");
    await expect.poll(() => reports).toHaveLength(3);
    // What each takes to be told is loaded when it is: in any order.
    expect(reports.sort(([a], [b]) => (a < b ? -1 : 1))).toEqual([
      [expect.stringMatching(/^The input of prompt "outside" cannot be used: .*never fetched/), { method: "schemas" }],
      [expect.stringMatching(/^The input of tool "behind" cannot be used: .*linear time/), { method: "schemas" }],
      [expect.stringMatching(/^The output of tool "nowhere" cannot be used: .*points at nothing/), { method: "schemas" }],
    ]);
    expect(behind.enabled).toBe(false);

    const second = await connect(server);
    for (const client of [first, second]) {
      expect(await failureOf(client.callTool("behind"))).toMatchObject({ code: -32602, message: "Unknown tool: behind" });
      expect((await client.callTool("fine", { text: "a" })).text).toBe("fine");
    }
    expect((await second.listTools()).tools.map(({ name }) => name)).toEqual(["early", "fine"]);
    expect((await second.listPrompts()).prompts.map(({ name }) => name)).toEqual(["early"]);

    behind.update({ input: FINE });
    behind.enable();
    expect((await second.callTool("behind", { text: "a" })).text).toBe("never");
    expect(reports).toHaveLength(3);
  });

  it("what is enabled again without being mended is disabled again [R9]", async () => {
    const reports: unknown[] = [];
    const server = testServer({ onError: (error) => void reports.push(error) });
    server.tool("early", {}, () => "early");
    const client = await connect(server);
    const late = server.tool("late", { input: BEHIND }, () => "never");
    await expect.poll(() => reports).toHaveLength(1);
    late.enable();
    await expect.poll(() => reports).toHaveLength(2);
    expect(late.enabled).toBe(false);
    expect((await client.listTools()).tools).toHaveLength(1);
  });
});
