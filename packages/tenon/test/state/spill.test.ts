/** What `spill` promises of a result: over every transport and revision, for every kind of result, with tasks and mounts. */
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { connect, McpUsageError, type CallToolResult } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { ToolError } from "tenon/server";
import { gate } from "../support/gate.ts";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";
import { exporting, keptIn, LONG, opened, SPILL, textsIn, whole } from "../support/spilled.ts";

describeMatrix("a result that is too long", ({ connect: open, since }) => {
  test("is a preview, a link and read_more", async () => {
    const client = await open(exporting());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read_more", "export"]);
    const result = await client.callTool("export");
    const { uri, length } = keptIn(result);
    const [preview, notice] = textsIn(result);
    expect([preview, length]).toEqual([LONG.slice(0, 20), LONG.length]);
    expect(notice).toContain(`read_more of this server with {"uri":"${uri}","from":20,"to":120}`);
    if (since("2025-06-18")) expect(result.content[2]).toMatchObject({ type: "resource_link", uri, size: LONG.length });
    const piece = await client.callTool("read_more", { uri, from: 20, to: 30 });
    expect(textsIn(piece)[0]).toBe(LONG.slice(20, 30));
    expect(await whole(client, result)).toBe(LONG);
    expect((await client.readResource(uri)).contents).toMatchObject([{ uri, text: LONG }]);
  });

  test("stays whole up to the limit, and on a tool that says so", async () => {
    const server = exporting("x".repeat(100), { spill: SPILL });
    server.tool("raw", { spill: false }, () => LONG);
    server.tool("general", {}, () => LONG);
    const client = await open(server);
    expect((await client.callTool("export")).text).toBe("x".repeat(100));
    expect((await client.callTool("raw")).text).toBe(LONG);
    expect(textsIn(await client.callTool("general"))[0]).toBe(LONG.slice(0, 20));
  });

  test("keeps images where they are, and joins texts", async () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
    const embedded = { type: "resource", resource: { uri: "note://1", text: "e".repeat(60) } } as const;
    const content = [image, { type: "text", text: "a".repeat(60) } as const, image, embedded];
    const client = await open(exporting({ content }));
    const result = await client.callTool("export");
    const types = result.content.map(({ type }) => type);
    expect(types).toEqual(["image", "text", "text", since("2025-06-18") ? "resource_link" : "text", "image"]);
    expect(textsIn(await client.callTool("read_more", { uri: keptIn(result).uri }))[0]).toBe(
      `${"a".repeat(60)}\n${"e".repeat(39)}`,
    );
  });

  test("begins with what the first text says beside it, and with nothing of an embedded resource", async () => {
    const annotations = { audience: ["user" as const] };
    const ofText = await open(exporting({ content: [{ type: "text", text: LONG, annotations }] }));
    expect((await ofText.callTool("export")).content[0]).toEqual({ type: "text", text: LONG.slice(0, 20), annotations });
    const embedded = { type: "resource", resource: { uri: "note://1", text: LONG } } as const;
    const ofResource = await open(exporting({ content: [embedded] }));
    expect((await ofResource.callTool("export")).content[0]).toEqual({ type: "text", text: LONG.slice(0, 20) });
  });

  test("is read by a tool that needs its link", async () => {
    const { tools } = await (await open(exporting())).listTools();
    const schema = tools.find(({ name }) => name === "read_more")?.inputSchema;
    expect(schema).toMatchObject({
      required: ["uri"],
      properties: { uri: { type: "string" }, from: { minimum: 0 }, to: { minimum: 1 } },
    });
  });

  test("stays a failure, whether returned or thrown", async () => {
    const server = testServer({ spill: SPILL });
    server.tool("returns", {}, (_input, ctx) => ctx.fail(LONG));
    server.tool("throws", {}, () => {
      throw new ToolError(LONG);
    });
    const client = await open(server);
    for (const name of ["returns", "throws"]) {
      const result = await client.callTool(name);
      expect(result.isError).toBe(true);
      expect(await whole(client, result)).toBe(LONG);
    }
  });

  test("is whole again when it is asked for what is not there, and says why", async () => {
    const client = await open(exporting());
    const { uri, length } = keptIn(await client.callTool("export"));
    const refused = [
      [{ uri, from: length }, `has ${length} characters`],
      [{ uri, from: 5, to: 5 }, '"to" must be greater'],
      [{ uri: "spill:///none" }, "no result is kept"],
      [{ uri: "note://1" }, "no result is kept"],
    ] as const;
    for (const [given, words] of refused) {
      const { isError, text } = await client.callTool("read_more", given);
      expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
    }
    for (const given of [{ uri, from: -1 }, { uri, from: 0.5 }, { uri, to: 0 }, {}])
      expect((await client.callTool("read_more", given)).isError).toBe(true);
  });

  test("belongs to its principal: the link of another is as unknown as none", async () => {
    const caller = { principal: "ann" };
    const server = exporting();
    server.use((next) => (context) => next(Object.assign(context, { principal: caller.principal })));
    const client = await open(server);
    const { uri } = keptIn(await client.callTool("export"));
    const unknown = await client.callTool("read_more", { uri: "spill:///none" });
    caller.principal = "bob";
    expect(await client.callTool("read_more", { uri })).toEqual(unknown);
    const [foreign, none] = await Promise.all(
      [uri, "spill:///none"].map((one) => client.readResource(one).then(undefined, (error: Error) => error.message)),
    );
    expect((foreign as string).replace(uri, "…")).toBe((none as string).replace("spill:///none", "…"));
    caller.principal = "ann";
    expect((await client.callTool("read_more", { uri })).isError).not.toBe(true);
  });

  test("of a mounted tool is kept by the server that the client knows", async () => {
    const outer = testServer();
    outer.mount("a", exporting());
    outer.mount("b", exporting("b".repeat(300), {}, { above: 50 }));
    const client = await open(outer);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read_more", "a__export", "b__export"]);
    expect(await whole(client, await client.callTool("a__export"))).toBe(LONG);
    expect(await whole(client, await client.callTool("b__export"), 50)).toBe("b".repeat(300));
  });

  test("is found by a model that has discovery only", async () => {
    const client = await open(exporting(LONG, { discovery: { above: 0 } }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["search_tools", "call_tool", "read_more"]);
    expect(await whole(client, await client.callTool("call_tool", { name: "export" }))).toBe(LONG);
  });
});

describeMatrix(
  "structured content that is too long",
  ({ connect: open }) => {
    const rows = Array.from({ length: 40 }, (_, row) => ({ row }));

    test("stays whole and true if the tool has an output schema; its text is a preview", async () => {
      const server = testServer({ spill: SPILL });
      server.tool("rows", { output: z.object({ rows: z.array(z.object({ row: z.number() })) }) }, () => ({ rows }));
      const client = await open(server);
      const result = await client.callTool("rows");
      expect(result.structuredContent).toEqual({ rows });
      expect(await whole(client, result)).toBe(JSON.stringify({ rows }));
    });

    test("is a preview without one: what no schema describes is text", async () => {
      const server = testServer({ spill: SPILL });
      server.tool("rows", {}, () => ({ rows }));
      server.tool("beside", {}, () => ({ content: [{ type: "text", text: "40 rows" }], structuredContent: { rows } }));
      const client = await open(server);
      const result = await client.callTool("rows");
      expect(result.structuredContent).toBeUndefined();
      expect(await whole(client, result)).toBe(JSON.stringify({ rows }));
      expect(await whole(client, await client.callTool("beside"))).toBe(`40 rows\n${JSON.stringify({ rows })}`);
    });
  },
  REVISIONS.filter((revision) => revision >= "2025-06-18"),
);

describe("characters of two units", () => {
  test("are never cut, wherever a piece begins and ends", async () => {
    const text = `a${"😀".repeat(200)}`;
    const client = await opened(exporting(text, {}, { above: 100, preview: 2 }));
    const result = await client.callTool("export");
    expect(textsIn(result)[0]).toBe("a");
    expect(await whole(client, result)).toBe(text);
    const { uri } = keptIn(result);
    for (const [from, to] of [
      [1, 2],
      [2, 3],
      [2, 4],
      [399, 400],
      [400, 401],
    ] as const) {
      const [piece] = textsIn(await client.callTool("read_more", { uri, from, to }));
      expect(piece).toMatch(/^(?:😀)+$/u);
    }
  });

  test("and characters that engines cannot keep come back as they were, over the borders of parts", async () => {
    const text = `${"\0\u0001\ud800".repeat(30_000)}${"😀".repeat(40_000)}`;
    const client = await opened(exporting(text, {}, { above: 50_000, preview: 100 }));
    const result = await client.callTool("export");
    const { uri } = keptIn(result);
    let read = "";
    while (read.length < text.length) read += textsIn(await client.callTool("read_more", { uri, from: read.length }))[0]!;
    expect(read === text).toBe(true);
  });
});

describe("calls that last", () => {
  test("a task ends with the preview, and its caller reads the rest", async () => {
    const server = exporting(LONG, { extensions: [tasks()] });
    const client = await connect(server, { extensions: [tasks()] } as never);
    onTestFinished(() => client.close());
    const result = await client.callTool("export");
    expect(await whole(client, result as CallToolResult)).toBe(LONG);
  });

  test("progress, questions and cancellation are those of any call", async () => {
    const [begun, may] = [gate(), gate()];
    const server = testServer({ spill: SPILL });
    server.tool("slow", {}, async (_input, ctx) => {
      await ctx.progress(1, 2, "half");
      const { action } = await ctx.elicit("ok", { message: "All?", schema: z.object({}) });
      return `${action} ${LONG}`;
    });
    server.tool("waits", {}, async (_input, ctx) => {
      begun.open();
      await may.opened;
      return ctx.signal.aborted ? "late" : LONG;
    });
    const client = await connect(server, { onElicit: () => ({ action: "accept", content: {} }) });
    onTestFinished(() => client.close());
    const steps: unknown[] = [];
    const result = await client.callTool("slow", {}, { onProgress: ({ message }) => void steps.push(message) });
    expect([await whole(client, result), steps]).toEqual([`accept ${LONG}`, expect.arrayContaining(["half"])]);
    const controller = new AbortController();
    const call = client.callTool("waits", {}, { signal: controller.signal });
    await begun.opened;
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    may.open();
  });

  test("a call with a key has its result, and each time a link that can be read", async () => {
    const server = testServer({ spill: SPILL });
    server.tool("pay", { input: z.object({ id: z.string() }), once: { key: "id" } }, () => LONG);
    const client = await opened(server);
    for (let count = 0; count < 2; count++) expect(await whole(client, await client.callTool("pay", { id: "k" }))).toBe(LONG);
  });
});

test("the name read_more is the server's own while results spill, and options are checked when a tool is registered", () => {
  const taken = testServer();
  taken.tool("read_more", {}, () => "mine");
  expect(() => taken.tool("export", { spill: true }, () => "")).toThrow(McpUsageError);
  expect(() => exporting().tool("read_more", {}, () => "mine")).toThrow(McpUsageError);
  const wrong = [{ above: 0 }, { above: 10, preview: 11 }, { ttl: 0 }, { maxKept: "1" }, { ttl: 1e15 }];
  for (const spill of wrong) expect(() => exporting(LONG, {}, spill as never)).toThrow(RangeError);
  for (const spill of ["yes", { over: 1 }]) expect(() => exporting(LONG, {}, spill as never)).toThrow(TypeError);
});
