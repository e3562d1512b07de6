/** Lists without an end, and with odd cursors, as a client walks through them. */
import { describe, expect, it } from "vitest";
import { ProtocolViolationError, type Client, type JsonObject } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { connected } from "../support/odd-server.ts";
import { failure, result, type Reply } from "../support/scripted-server.ts";

const object = { type: "object" };

describe("Walking through lists", () => {
  const page = (cursor: unknown, nextCursor?: string): JsonObject => ({
    tools: [{ name: `after ${String(cursor)}`, inputSchema: object }],
    ...(nextCursor !== undefined && { nextCursor }),
  });
  const pages = (next: (cursor: string | undefined) => string | undefined): Reply => {
    return (request, server) => {
      const { cursor } = (request["params"] ?? {}) as { cursor?: string };
      result(page(cursor, next(cursor)))(request, server);
    };
  };
  async function namesOf(client: Client): Promise<string[]> {
    const names: string[] = [];
    for await (const tool of client.tools()) names.push(tool.name);
    return names;
  }

  it("takes cursors as they come; an empty one ends the list on a revision with sessions [K5.1 CL-16]", async () => {
    const { client, server } = await connected({
      "tools/list": pages((cursor) => (cursor === undefined ? " =&ü" : "")),
    });
    expect(await namesOf(client)).toEqual(["after undefined", "after  =&ü"]);
    expect(server.sent.map(({ params }) => (params as JsonObject)["cursor"])).toEqual([undefined, " =&ü"]);
  });

  it("asks for no page that is not needed [K5.1]", async () => {
    const { client, server } = await connected({ "tools/list": pages(() => "more") });
    for await (const tool of client.tools()) {
      expect(tool.name).toBe("after undefined");
      break;
    }
    expect(server.sent).toHaveLength(1);
  });

  it("ends a list that repeats a cursor, and one of more than 64 pages [K5.1 C15]", async () => {
    const circular = await connected({ "tools/list": pages((cursor) => (cursor === "a" ? "b" : "a")) });
    expect(await namesOf(circular.client)).toEqual(["after undefined", "after a", "after b"]);
    expect(circular.server.sent).toHaveLength(3);
    const strict = await connected({ "tools/list": pages((cursor) => (cursor === "a" ? "b" : "a")) }, { strict: true });
    expect(await failureOf(namesOf(strict.client))).toBeInstanceOf(ProtocolViolationError);
    const deaf = await connected({ "tools/list": pages(() => "a") });
    expect(await namesOf(deaf.client)).toEqual(["after undefined", "after a"]);
    const endless = await connected({ "tools/list": pages((cursor) => String(Number(cursor ?? 0) + 1)) });
    expect(await failureOf(namesOf(endless.client))).toMatchObject({ data: { limit: "pages", max: 64 } });
    expect(endless.server.sent).toHaveLength(64);
    const long = await connected({
      "tools/list": pages((cursor) => (cursor === "63" ? undefined : String(Number(cursor ?? 0) + 1))),
    });
    expect(await namesOf(long.client)).toHaveLength(64);
  });

  it.each(["tools", "resources", "resourceTemplates", "prompts"] as const)(
    "ends a list of %s whose pages are too large together",
    async (kind) => {
      const items = {
        tools: { name: "x".repeat(400), inputSchema: object },
        resources: { name: "x".repeat(400), uri: "a:b" },
        resourceTemplates: { name: "x".repeat(400), uriTemplate: "a:{b}" },
        prompts: { name: "x".repeat(400) },
      };
      let asked = 0;
      const reply: Reply = (request, server) => result({ [kind]: [items[kind]], nextCursor: String(asked++) })(request, server);
      const method = kind === "resourceTemplates" ? "resources/templates/list" : `${kind}/list`;
      const { client } = await connected({ [method]: reply }, { limits: { maxListSize: 2_000 } });
      const walk = async (): Promise<void> => {
        for await (const item of client[kind]()) expect(item.name).toHaveLength(400);
      };
      expect(await failureOf(walk())).toMatchObject({
        message: expect.stringMatching(/Limit "limits.maxListSize" of 2000 exceeded/),
      });
      expect(asked).toBe(5);
    },
  );

  it("a list of one page has no limit but that of a message, and a limit below one is refused", async () => {
    const { client } = await connected({ "tools/list": pages(() => undefined) }, { limits: { maxListSize: 1 } });
    expect(await namesOf(client)).toHaveLength(1);
    await expect(connected({}, { limits: { maxListSize: 0 } })).rejects.toThrow('"limits.maxListSize" must be a number >= 1');
  });

  it("passes the server's refusal of a cursor on [K5.1]", async () => {
    const { client } = await connected({ "tools/list": failure(-32602) });
    expect(await failureOf(client.listTools({ cursor: "old" }))).toMatchObject({ code: -32602 });
  });
});
