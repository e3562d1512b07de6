/**
 * What `spill` promises: over every transport and revision, for every kind of result, with tasks,
 * mounts and several nodes, and against callers who try.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { connect, McpUsageError, type CallToolResult, type Client, type JsonObject, type McpServer } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { memoryStores } from "tenon/stores/memory";
import { createFetchHandler, ToolError, type McpServerOptions, type SpillOptions, type ToolReturn } from "tenon/server";
import { forget } from "tenon/state";
import { protect, REVISIONS as SCOPED } from "../auth-server/support.ts";
import { gate } from "../support/gate.ts";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const SPILL = { above: 100, preview: 20 };
const LONG = Array.from({ length: 60 }, (_, row) => `row ${row}`).join("\n");

interface Kept {
  readonly uri: string;
  readonly length: number;
}

function exporting(
  value: ToolReturn | CallToolResult = LONG,
  options: McpServerOptions = {},
  spill: boolean | SpillOptions = SPILL,
): McpServer {
  const server = testServer({ onError: () => undefined, ...options });
  server.tool("export", { spill, ...(options.extensions && { task: true }) }, () => value as string);
  return server;
}

async function opened(server: McpServer): Promise<Client> {
  const client = await connect(server);
  onTestFinished(() => client.close());
  return client;
}

/** Where the rest of a result is kept. */
function keptIn({ _meta: meta }: Pick<CallToolResult, "_meta">): Kept {
  expect(meta).toHaveProperty(["dev.tenon/spilled"]);
  return (meta as JsonObject)["dev.tenon/spilled"] as unknown as Kept;
}

/** The texts of a result. */
const textsIn = ({ content }: Pick<CallToolResult, "content">): string[] =>
  content.map((block) => (block.type === "text" ? block.text : block.type));

/** Reads a result from its preview to its end, as a model does. */
async function whole(client: Client, result: CallToolResult, preview = 20): Promise<string> {
  const { uri, length } = keptIn(result);
  let text = textsIn(result)[0]!;
  expect(text.length).toBeLessThanOrEqual(preview);
  while (text.length < length) {
    const [more] = textsIn(await client.callTool("read_more", { uri, from: text.length }));
    expect(more).not.toBe("");
    text += more!;
  }
  return text;
}

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

describe("whose a result is", () => {
  test.each(SCOPED)("over HTTP with a login on %s: another user's, another program's and no session's", async (revision) => {
    const http = await protect({}, (server) => void server.tool("export", { spill: SPILL }, () => LONG));
    const made = await http.call(revision, "ann", "export");
    const uri = /spill:\/\/\/[\w-]+/.exec(made.text)![0];
    expect((await http.call(revision, "ann", "read_more", { uri })).text).toContain("row 10");
    for (const other of ["bob", "ann-elsewhere", "ann-of-b", "robot"]) {
      const { text } = await http.call(revision, other, "read_more", { uri });
      expect(text).toContain("no result is kept");
      expect(text).not.toContain("row 1");
    }
  });

  test.each(REVISIONS)(
    "without a login on %s: the session's or the connection's; without either the link is the key",
    async (revision) => {
      const server = exporting();
      const handler = createFetchHandler(server);
      const over = async (): Promise<Client> => {
        const client = await connect(
          { url: "http://localhost/mcp", fetch: async (url, init) => handler(new Request(url, init)) },
          { revision },
        );
        onTestFinished(() => client.close());
        return client;
      };
      const isStateless = revision >= "2026-07-28";
      const [ann, bob, near] = [await over(), await over(), await connect(server, { revision })];
      onTestFinished(() => near.close());
      const { uri } = keptIn(await ann.callTool("export"));
      expect((await ann.callTool("read_more", { uri })).isError).not.toBe(true);
      expect((await bob.callTool("read_more", { uri })).isError ?? false).toBe(!isStateless);
      const own = keptIn(await near.callTool("export"));
      expect((await near.callTool("read_more", { uri: own.uri })).isError).not.toBe(true);
      for (const other of [ann, bob]) expect((await other.callTool("read_more", { uri: own.uri })).isError).toBe(true);
    },
  );

  test("no rule of visibility hides read_more, because it shows a caller only what is the caller's", async () => {
    const server = exporting();
    server.visible((_caller, { id }) => id === "export");
    const client = await opened(server);
    expect(await whole(client, await client.callTool("export"))).toBe(LONG);
  });

  test("a result that middleware keeps for all is whole, and each caller has a link of its own", async () => {
    const caller = { principal: "ann" };
    const server = exporting();
    let kept: unknown;
    server.use((next) => (context) => next(Object.assign(context, { principal: caller.principal })));
    server.use(
      (next) => async (context) =>
        context.params["name"] === "export" ? ((kept ??= await next(context)) as JsonObject) : next(context),
    );
    const client = await opened(server);
    for (const principal of ["ann", "bob"]) {
      caller.principal = principal;
      expect(await whole(client, await client.callTool("export"))).toBe(LONG);
    }
    expect(textsIn(kept as CallToolResult)).toEqual([LONG]);
  });
});

describe("how much is kept, and how long", () => {
  const PART = 65_536;

  test("a caller that has filled its room gets results whole; what it has stays, and so does the room of others", async () => {
    const caller = { principal: "ann" };
    const errors: string[] = [];
    const onError = (error: unknown): void => void errors.push((error as Error).message);
    const server = exporting(LONG, { onError }, { ...SPILL, maxKept: 2 * PART });
    server.use((next) => (context) => next(Object.assign(context, { principal: caller.principal })));
    const client = await opened(server);
    const exported = async (): Promise<string> => keptIn(await client.callTool("export")).uri;
    const isThere = async (uri: string): Promise<boolean> => !(await client.callTool("read_more", { uri })).isError;
    const [first, second] = [await exported(), await exported()];
    expect((await client.callTool("export")).text).toBe(LONG);
    expect(errors).toEqual([expect.stringContaining('"spill.maxKept"')]);
    expect([await isThere(first), await isThere(second)]).toEqual([true, true]);
    caller.principal = "bob";
    expect(await isThere(await exported())).toBe(true);
    await forget("ann");
    caller.principal = "ann";
    expect(await isThere(await exported())).toBe(true);
  });

  test("a result that has no room is sent whole, and the operator hears of it", async () => {
    const errors: string[] = [];
    const onError = (error: unknown): void => void errors.push((error as Error).message);
    const server = exporting(LONG, { onError }, { ...SPILL, maxTotal: PART });
    server.tool("large", { spill: { ...SPILL, maxKept: 200 } }, () => "x".repeat(300));
    const client = await opened(server);
    keptIn(await client.callTool("export"));
    expect((await client.callTool("export")).text).toBe(LONG);
    expect((await client.callTool("large")).text).toBe("x".repeat(300));
    const whole = (name: string, length: number, limit: string): unknown =>
      expect.stringMatching(
        `^The result of tool "${name}" is sent whole, all ${length} characters, because it cannot be kept: .*"${limit}"`,
      );
    expect(errors).toEqual([whole("export", LONG.length, "spill.maxTotal"), whole("large", 300, "spill.maxKept")]);
  });

  test("what is refused or forgotten gives its room back", async () => {
    const server = exporting(LONG, { onError: () => undefined }, { ...SPILL, maxKept: PART, maxTotal: 2 * PART });
    server.use((next) => (context) => next(Object.assign(context, { principal: "ann" })));
    const client = await opened(server);
    const { uri } = keptIn(await client.callTool("export"));
    for (let count = 0; count < 5; count++) expect((await client.callTool("export")).text).toBe(LONG);
    await forget("ann");
    expect((await client.callTool("read_more", { uri })).text).toContain("no result is kept");
    expect(await whole(client, await client.callTool("export"))).toBe(LONG);
  });

  test("a result expires", async () => {
    const client = await opened(exporting(LONG, {}, { ...SPILL, ttl: 1 }));
    const { uri } = keptIn(await client.callTool("export"));
    await expect.poll(async () => (await client.callTool("read_more", { uri })).isError, { timeout: 30_000 }).toBe(true);
  });

  test("another node reads what one has kept", async () => {
    const stores = memoryStores();
    const keys = ["a key of all nodes, of 32 bytes or more"];
    const nodes = [0, 1].map(() => {
      const server = exporting(LONG, { requestState: { keys } });
      server.use((next) => (context) => next(Object.assign(context, { principal: "ann" })));
      return createFetchHandler(server, { stores });
    });
    const over = async (at: number): Promise<Client> => {
      const client = await connect({
        url: "http://localhost/mcp",
        fetch: async (url, init) => nodes[at]!(new Request(url, init)),
      });
      onTestFinished(() => client.close());
      return client;
    };
    const result = await (await over(0)).callTool("export");
    expect(await whole(await over(1), result)).toBe(LONG);
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
