/** In which forms a secret is found in what leaves a server, and in which it is not: as docs/servers/secrets.md promises. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client, ConnectOptions, McpServer } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { secrets } from "tenon/pages";
import type { RequestContext } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { KEYS, PageBrowser, pageIn, site, type PagesSite } from "./support.ts";

/** A key with all that other forms write in another way. */
const KEY = 'gh"p/÷+ü?key~\\& 7';
const yes = { choice: "yes", secret: KEY };
const bytes = (text: string): Buffer => Buffer.from(text);

type Make = (key: string, ctx: RequestContext) => unknown;

async function given(at: PagesSite, tool = "tell", options: ConnectOptions = {}): Promise<Client> {
  const ada = await at.client("ada", options);
  expect((await new PageBrowser("ada").answer(pageIn((await ada.callTool(tool)).text), yes)).status).toBe(200);
  return ada;
}

/** All that a client gets of a tool that makes something of the key. */
async function told(make: Make): Promise<string> {
  const at = await site((server) =>
    server.tool("tell", {}, async (_input, ctx) => make(await ctx.secret("github", { message: "A key" }), ctx) as string),
  );
  const result = await (await given(at)).callTool("tell");
  const { content, structuredContent } = result as { content: unknown; structuredContent?: unknown };
  return JSON.stringify([content, structuredContent]);
}

class Token {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}

const FOUND: readonly (readonly [string, Make])[] = [
  ["as it is", (key) => `it is ${key}!`],
  ["twice, and in an array", (key) => ({ content: [`${key}${key}`, key].map((text) => ({ type: "text", text })) })],
  ["as Base64", (key) => bytes(key).toString("base64")],
  ["as Base64 for URLs", (key) => bytes(key).toString("base64url")],
  ["in a basic credential", (key) => `Basic ${bytes(`ada:${key}`).toString("base64")}`],
  [
    "in Base64 of a longer text, at each place",
    (key) => ["", "1", "22"].map((before) => bytes(`${before}${key} and more`).toString("base64")).join(),
  ],
  ["percent-encoded", (key) => `https://api.example/?key=${encodeURIComponent(key)}`],
  ["in the query of a URL", (key) => new URL(`https://api.example/?${new URLSearchParams({ key })}`).href],
  ["escaped in JSON", (key) => `the body was ${JSON.stringify({ key })}`],
  ["as a key and a value of structured content", (key) => ({ content: [], structuredContent: { [key]: { deep: [key] } } })],
  ["in an object of a class", (key) => ({ content: [], structuredContent: { token: new Token(key) } })],
  [
    "in an object without a prototype",
    (key) => ({ content: [], structuredContent: Object.assign(Object.create(null) as object, { key }) }),
  ],
  ["in what an object has as JSON", (key) => ({ content: [], structuredContent: { at: { toJSON: () => ({ key }) } } })],
  ["in a resource", (key) => ({ content: [{ type: "resource", resource: { uri: "note://1", text: key } }] })],
  [
    "in a blob",
    (key) => ({ content: [{ type: "resource", resource: { uri: "note://1", blob: bytes(`file ${key}`).toString("base64") } }] }),
  ],
  ["in an image", (key) => ({ content: [{ type: "image", mimeType: "image/png", data: bytes(key).toString("base64") }] })],
  ["in _meta", (key) => ({ content: [], _meta: { key }, structuredContent: { key } })],
];

/** Whether a text has the key, in a form that a reader would see at once. */
function hasKey(text: string): boolean {
  const plain = text.replaceAll(/\\(["\\])/g, "$1");
  const forms = [
    KEY,
    JSON.stringify(KEY).slice(1, -1),
    encodeURIComponent(KEY),
    new URLSearchParams([["", KEY]]).toString().slice(1),
  ];
  const decoded = [...text.matchAll(/[\w+/-]{12,}={0,2}/g)].map(([part]) => Buffer.from(part, "base64").toString());
  return [text, plain, ...decoded].some((one) => forms.some((form) => one.includes(form)));
}

describe("a key in a result is replaced", () => {
  test.each(FOUND)("%s", async (_form, make) => {
    const text = await told(make);
    expect(text).toContain("[secret]");
    expect(hasKey(text)).toBe(false);
  });

  test("and the check of these tests sees each of them where nothing is replaced [negative control]", async () => {
    for (const [form, make] of FOUND) expect([form, hasKey(JSON.stringify(make(KEY, undefined as never)))]).toEqual([form, true]);
  });
});

describe("a key is not found, as the page says", () => {
  test.each<[string, Make, string]>([
    ["split over lines", (key) => key.replace("key", "k\ney"), "k\\ney"],
    ["in part", (key) => key.slice(0, -1), "7"],
    ["backwards", (key) => [...key].toReversed().join(""), "7"],
  ])("%s", async (_form, make) => {
    expect(await told(make)).not.toContain("[secret]");
  });
});

test("an error keeps no key: in its message, its causes, what it joins, and its members, also if circular", async () => {
  const seen: unknown[] = [];
  const at = await site(
    (server) =>
      server.tool("tell", {}, async (_input, ctx) => {
        const key = await ctx.secret("github", { message: "A key" });
        const details: Record<string, unknown> = { key };
        details["again"] = details;
        const joined = new AggregateError([new Error(`one of ${key}`)], `failed with ${bytes(key).toString("base64")}`, {
          cause: new Error(key),
        });
        throw Object.assign(joined, { details });
      }),
    { onError: (error) => void seen.push(error) },
  );
  const failed = await (await given(at)).callTool("tell");
  expect(failed.isError).toBe(true);
  const [error] = seen as [AggregateError & { details: { key: string } }];
  const texts = [error.message, error.stack, (error.cause as Error).message, (error.errors[0] as Error).stack, error.details.key];
  for (const text of texts) expect([text?.includes("[secret]"), hasKey(text ?? "")]).toEqual([true, false]);
});

test("contents of resources and of prompts keep no key", async () => {
  const at = await site((server: McpServer) => {
    const ask = (ctx: RequestContext): Promise<string> => ctx.secret("github", { message: "A key" });
    server.tool("tell", {}, async (_input, ctx) => `${(await ask(ctx)).length}`);
    server.resource("note://text", {}, async (_uri, ctx) => `text ${await ask(ctx)}`);
    server.resource("note://bytes", {}, async (_uri, ctx) => bytes(`bytes ${await ask(ctx)}`));
    server.prompt("say", {}, async (_input, ctx) => `say ${await ask(ctx)}`);
  });
  const ada = await given(at);
  const all = [await ada.readResource("note://text"), await ada.readResource("note://bytes"), await ada.getPrompt("say")].map(
    (one) => JSON.stringify(one),
  );
  for (const text of all) expect([text.includes("[secret]"), hasKey(text)]).toEqual([true, false]);
});

describe.each(["2025-11-25", "2026-07-28"] as const)("a task of %s", (revision) => {
  test("keeps and returns no key: in its status, its questions, its messages, its result and its error", async () => {
    const [wire, reported]: [string[], unknown[]] = [[], []];
    const stores = memoryStores();
    onTestFinished(() => stores.close());
    const at = await site(
      (server) => {
        const ask = (ctx: RequestContext): Promise<string> => ctx.secret("github", { message: "A key" });
        server.tool("give", {}, async (_input, ctx) => `${(await ask(ctx)).length}`);
        server.tool("tell", { task: true }, async (_input, ctx) => {
          const key = await ask(ctx);
          ctx.task?.status(`status ${key}`);
          await ctx.progress(1, 2, `progress ${key}`);
          const kept = await ctx.step("login", () => key);
          const said = await ctx.confirm("more", `question ${key}`);
          return `result ${said} ${kept === key} ${key}`;
        });
        server.tool("fail", { task: true }, async (_input, ctx) => {
          throw new Error(`failed with ${await ask(ctx)}`);
        });
      },
      {
        extensions: [tasks()],
        requestState: { keys: KEYS },
        pages: { keys: KEYS },
        onError: (error) => void reported.push(error),
      },
      { stores },
    );
    await given(at, "give");
    const ada = await at.client("ada", {
      revision,
      extensions: [tasks()],
      onElicit: (question) => (wire.push(JSON.stringify(question)), { action: "accept", content: {} }),
    });
    const watch = {
      onTask: (task: unknown) => void wire.push(JSON.stringify(task)),
      onProgress: (one: unknown) => void wire.push(JSON.stringify(one)),
    };
    const { text } = await ada.callTool("tell", {}, watch);
    expect(text).toBe("result true true [secret]");
    const failed = await ada.callTool("fail", {}, watch).then(JSON.stringify, String);
    wire.push(text, failed);
    expect(wire.join()).toContain("question [secret]");
    expect(wire.filter(hasKey)).toEqual([]);
    expect((reported.at(-1) as Error).message).toBe("failed with [secret]");
  });
});

test("what `once` keeps of a result has no key: another process that never read it sends it so", async () => {
  const stores = memoryStores();
  onTestFinished(() => stores.close());
  const tools = (server: McpServer): void => {
    const input = { type: "object", properties: { id: { type: "string" } } } as const;
    server.tool(
      "tell",
      { input, once: { key: "id" } },
      async (_input, ctx) => `with ${await ctx.secret("github", { message: "A key" })}`,
    );
  };
  const options = { pages: { keys: KEYS }, requestState: { keys: KEYS } };
  const [one, other] = [await site(tools, options, { stores }), await site(tools, options, { stores })];
  const ada = await given(one);
  expect((await ada.callTool("tell", { id: "a" })).text).toBe("with [secret]");
  expect((await (await other.client("ada")).callTool("tell", { id: "a" })).text).toBe("with [secret]");
  expect(await secrets.names({ issuer: "https://id.example", subject: "ada" }, { store: stores.keyed })).toEqual(["github"]);
});
