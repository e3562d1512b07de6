/** The option `confirm` of a tool: nothing runs without the yes of its user, for these arguments, on any way to the tool. */
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { connect, type ElicitResult, type InputRequiredResult, type McpServer } from "tenon";
import { createGateway } from "tenon/gateway";
import type { ConfirmOption } from "tenon/server";
import { describeAsking } from "../asking/ways.ts";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const input = z.object({ path: z.string() });

function remover(confirm: ConfirmOption, more: object = {}): { server: McpServer; removed: string[] } {
  const removed: string[] = [];
  const server = testServer({ onError: () => undefined });
  server.tool("remove", { input, confirm, ...more }, ({ path }) => `removed ${removed.push(path)}`);
  return { server, removed };
}

const answering = (
  asked: string[],
  action: "accept" | "decline" | "cancel" = "accept",
): { onElicit: (form: { message: string }) => { action: typeof action } } => ({
  onElicit: ({ message }) => (asked.push(message), { action }),
});

describeAsking("a tool that is confirmed", ({ connect: open }) => {
  test("asks with its name and its arguments, and runs after a yes only", async () => {
    const asked: string[] = [];
    const { server, removed } = remover(true);
    const yes = await open(server, answering(asked));
    expect((await yes.callTool("remove", { path: "/a" })).text).toBe("removed 1");
    expect(asked).toEqual(['Run "remove" with {"path":"/a"}?']);
    for (const action of ["decline", "cancel"] as const) {
      const no = await open(server, answering(asked, action));
      expect(await no.callTool("remove", { path: "/b" })).toMatchObject({
        isError: true,
        text: 'The user did not confirm "remove". Nothing was done.',
      });
    }
    expect(removed).toEqual(["/a"]);
  });

  test("shows each argument, however long another one is, and what would hide or reorder them", async () => {
    const asked: string[] = [];
    const { server, removed } = remover(true);
    const client = await open(server, answering(asked, "decline"));
    await client.callTool("remove", { a: "x".repeat(2_000), path: "/\u202Eetc\u200B" });
    expect(asked).toEqual([`Run "remove" with {"a":"${"x".repeat(300)}… (2000 characters)","path":"/\\u202eetc\\u200b"}?`]);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`argument-${at}`, "value"]));
    expect((await client.callTool("remove", { ...many, path: "/" })).text).toContain("too long to show. Nothing was done.");
    expect([asked.length, removed]).toEqual([1, []]);
  });

  test("does not run if the answer accepts and says otherwise, directly and over a gateway", async () => {
    const { server, removed } = remover(true);
    const between = createGateway({ readyTimeout: 60_000, servers: { files: server } });
    onTestFinished(() => between.close());
    for (const content of [
      { confirm: false },
      { confirm: " No" },
      { confirm: "n" },
      { confirm: true, really: false },
      { confirm: 0 },
    ]) {
      const onElicit = (): ElicitResult => ({ action: "accept", content });
      const direct = await (await open(server, { onElicit })).callTool("remove", { path: "/a" });
      const behind = await (await open(between, { onElicit })).callTool("files__remove", { path: "/a" });
      for (const { text } of [direct, behind])
        expect([content, text]).toEqual([content, expect.stringContaining("did not confirm")]);
    }
    for (const content of [{ confirm: true }, { note: "no hurry" }]) {
      const yes = await open(server, { onElicit: () => ({ action: "accept", content }) });
      expect((await yes.callTool("remove", { path: "/b" })).text).toContain("removed");
    }
    expect(removed).toEqual(["/b", "/b"]);
  });

  test("asks in its own words, or not at all; with a key it asks once", async () => {
    const asked: string[] = [];
    const confirm = (({ path }: { path: string }) => (path === "/tmp" ? undefined : `Remove ${path}?`)) as never;
    const { server, removed } = remover(confirm, { once: { key: "path", ttl: 60_000 } });
    server.use((next) => (context) => next(Object.assign(context, { principal: "ann" })));
    const client = await open(server, answering(asked));
    for (const path of ["/tmp", "/a", "/a"]) await client.callTool("remove", { path });
    expect(asked).toEqual(["Remove /a?"]);
    expect(removed).toEqual(["/tmp", "/a"]);
  });

  test("asks over a mount and a gateway as well", async () => {
    const asked: string[] = [];
    const { server, removed } = remover("Remove it?");
    const outer = testServer();
    outer.mount("files", server);
    const client = await open(outer, answering(asked));
    expect((await client.callTool("files__remove", { path: "/a" })).text).toBe("removed 1");
    const between = createGateway({ readyTimeout: 60_000, servers: { files: outer } });
    onTestFinished(() => between.close());
    const behind = await open(between, answering(asked, "decline"));
    expect((await behind.callTool("files__files__remove", { path: "/b" })).text).toContain("did not confirm");
    expect([asked, removed]).toEqual([["Remove it?", "Remove it?"], ["/a"]]);
  });
});

describeMatrix("a tool that is confirmed, for a client that asks no one", ({ connect: open }) => {
  test("is refused, and does nothing", async () => {
    const { server, removed } = remover(true);
    const result = await (await open(server)).callTool("remove", { path: "/a" });
    expect(result).toMatchObject({
      isError: true,
      text: '"remove" needs a yes of the user, and this client cannot ask for it. Nothing was done.',
    });
    expect(removed).toEqual([]);
  });
});

describe("the yes to a call", () => {
  test("counts for its arguments and its user only", async () => {
    const { server, removed } = remover(true);
    const caller = { principal: "ann" };
    server.use((next) => (context) => next(Object.assign(context, { principal: caller.principal })));
    const client = await connect(server, {
      revision: "2026-07-28",
      onElicit: () => ({ action: "accept", content: {} }),
      limits: { maxRounds: 0 },
    });
    onTestFinished(() => client.close());
    const given = { name: "remove", arguments: { path: "/a" } };
    const { requestState, inputRequests } = (await client.request("tools/call", given)) as InputRequiredResult;
    const inputResponses = Object.fromEntries(
      Object.keys(inputRequests!).map((name) => [name, { action: "accept", content: {} }]),
    );
    const answered = { requestState: requestState!, inputResponses } as never;
    await expect(
      client.request("tools/call", { ...given, arguments: { path: "/b" }, ...(answered as object) }),
    ).rejects.toMatchObject({ code: -32602 });
    caller.principal = "bob";
    await expect(client.request("tools/call", { ...given, ...(answered as object) })).rejects.toMatchObject({ code: -32602 });
    expect(removed).toEqual([]);
    caller.principal = "ann";
    expect(await client.request("tools/call", { ...given, ...(answered as object) })).toMatchObject({
      content: [{ text: "removed 1" }],
    });
  });
});
