/** Attacks on the pages of an endpoint, and on the secrets that users give there. */
import { connect as connectSocket } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { McpServer } from "tenon";
import { audit, log } from "tenon/middleware";
import { secrets } from "tenon/pages";
import { memoryStores } from "tenon/stores/memory";
import type { KeyedStore } from "../../src/storage/keyed-store.ts";
import { MemoryKeyedStore } from "../../src/storage/memory/keyed-store.ts";
import { ISSUER, KEYS, PageBrowser, pageIn, SECRET, site, type PagesSite } from "./support.ts";

const yes = { choice: "yes", secret: SECRET };

function addTools(server: McpServer, seen: string[] = []): void {
  server.tool(
    "key",
    {},
    async (_input, ctx) => `${seen.push(await ctx.secret("github", { message: "A token <b>for you</b>" }))} read`,
  );
  server.tool("ask", {}, async (_input, ctx) => ((await ctx.confirm("go", "Go?")) ? "gone" : "stayed"));
}

class Account {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
}

/** A page that asks a user for a secret. */
async function pageOf({ client }: PagesSite, user = "ada", tool = "key"): Promise<string> {
  return pageIn((await (await client(user)).callTool(tool)).text);
}

describe("a page", () => {
  test("is shown to its user only: not to another one, and not to a browser in which no user is logged in", async () => {
    const at = await site(addTools);
    for (const tool of ["key", "ask"]) {
      const url = await pageOf(at, "ada", tool);
      const mallory = await new PageBrowser("mallory").open(url);
      expect([mallory.status, mallory.text.includes("<form")]).toEqual([403, false]);
      const unknown = await new PageBrowser().open(url);
      expect([unknown.status, unknown.text.includes("<form")]).toEqual([401, false]);
      expect((await new PageBrowser("ada").open(url)).status).toBe(200);
    }
  });

  test("cannot be answered by another user with the form and the cookie of its user", async () => {
    const at = await site(addTools);
    const browser = new PageBrowser("ada");
    const shown = await browser.open(await pageOf(at));
    browser.cookies.set("user", "mallory");
    expect((await browser.send(shown, yes)).status).toBe(400);
    expect((await (await at.client("ada")).callTool("key")).isError).toBe(true);
  });

  test("is answered once: not again, not by a second window, and not after a no", async () => {
    const seen: string[] = [];
    const at = await site((server) => addTools(server, seen));
    const url = await pageOf(at);
    const [first, second] = [new PageBrowser("ada"), new PageBrowser("ada")];
    const [one, other] = [await first.open(url), await second.open(url)];
    const sent = await Promise.all([first.send(one, yes), second.send(other, { ...yes, secret: "another-key" })]);
    expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect((await second.send(other, { ...yes, secret: "another-key" })).status).toBe(400);
    expect((await new PageBrowser("ada").open(url)).status).toBe(400);
    await (await at.client("ada")).callTool("key");
    expect(seen).toEqual([sent[0]!.status === 200 ? SECRET : "another-key"]);
    const asked = await pageOf(at, "ada", "ask");
    await new PageBrowser("ada").answer(asked, { choice: "no" });
    expect((await new PageBrowser("ada").answer(asked, { choice: "yes" })).status).toBe(400);
  });

  test("needs the cookie, the token and the origin of its own form [CSRF]", async () => {
    const at = await site(addTools);
    const url = await pageOf(at);
    const browser = new PageBrowser("ada");
    const shown = await browser.open(url);
    for (const origin of ["https://evil.example", "null", ""])
      expect((await browser.send(shown, yes, { origin })).status).toBe(400);
    expect((await browser.send(shown, { ...yes, token: "x" })).status).toBe(400);
    expect((await new PageBrowser("ada").send(shown, yes)).status).toBe(400);
    const other = new PageBrowser("ada");
    await other.open(url);
    expect((await other.send(shown, yes)).status).toBe(400);
    expect((await browser.send(shown, yes)).status).toBe(200);
  });

  test("has a link that only its server can make: changed, cut, of another server, or a cookie in its place", async () => {
    const [at, theirs] = [
      await site(addTools, { pages: { keys: KEYS } }),
      await site(addTools, { name: "x", pages: { keys: KEYS } } as never),
    ];
    const url = await pageOf(at);
    const browser = new PageBrowser("ada");
    await browser.open(url);
    const link = url.split("/").at(-1)!;
    const base = url.slice(0, -link.length);
    const foreign = (await pageOf(theirs)).split("/").at(-1)!;
    const forged = [
      `${link}x`,
      link.slice(0, -2),
      "v1.x.y",
      foreign,
      browser.cookies.get("tenon-page")!,
      "%0d%0aSet-Cookie:x=1",
      "x".repeat(9_000),
    ];
    for (const text of forged) expect((await new PageBrowser("ada").open(base + text)).status).toBe(400);
    for (const path of ["", "answer", "identity?code=x&state=y"])
      expect((await new PageBrowser("ada").open(base + path)).status).toBe(400);
  });

  test("ends after its time, also in a window that shows it", async () => {
    const at = await site(addTools, { pages: { ttl: 300 } });
    const url = await pageOf(at);
    const browser = new PageBrowser("ada");
    const shown = await browser.open(url);
    await expect.poll(async () => (await new PageBrowser("ada").open(url)).status, { timeout: 30_000 }).toBe(400);
    expect((await browser.send(shown, yes)).status).toBe(400);
    expect((await (await at.client("ada")).callTool("key")).isError).toBe(true);
  });

  test("has headers against other sites, caches and referrers, and text of the server is no markup", async () => {
    const at = await site(addTools);
    const { headers, text } = await new PageBrowser("ada").open(await pageOf(at));
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';.*frame-ancestors 'none'; form-action 'self'$/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.getSetCookie().join()).toMatch(/HttpOnly; SameSite=Lax/);
    expect(text).toContain("A token &lt;b&gt;for you&lt;/b&gt;");
    expect(text).not.toContain("<b>");
  });

  test("shows what would hide or reorder its text, and cuts no question short", async () => {
    const question = `Delete \u202Etxt.exe ${"x".repeat(3_000)} and all backups?`;
    const at = await site((server) => server.tool("ask", {}, async (_input, ctx) => String(await ctx.confirm("go", question))));
    const { text } = await new PageBrowser("ada").open(await pageOf(at, "ada", "ask"));
    expect(text).toContain("Delete \\u202etxt.exe");
    expect(text).toContain("and all backups?");
    // Two spaces are two, and not the one of another file.
    expect(text).toContain("p.message { white-space: pre-wrap; }");
  });

  test("shows each character of a question that has no width, except what joins letters and emoji", async () => {
    const question = "Delete a\u200B.txt, b\u00AD\u3164.txt and \u26A0\uFE0F?";
    const at = await site((server) => server.tool("ask", {}, async (_input, ctx) => String(await ctx.confirm("go", question))));
    const { text } = await new PageBrowser("ada").open(await pageOf(at, "ada", "ask"));
    expect(text).toContain("Delete a\\u200b.txt, b\\u00ad\\u3164.txt and \u26A0\uFE0F?");
  });

  test("is not asked for a key that is empty or too long", async () => {
    const at = await site(addTools);
    const url = await pageOf(at);
    const browser = new PageBrowser("ada");
    for (const secret of [" ", "x".repeat(8_193)]) {
      const shown = await browser.answer(url, { ...yes, secret });
      expect([shown.status, shown.text.includes('role="alert"')]).toEqual([400, true]);
    }
    expect((await browser.answer(url, yes)).status).toBe(200);
  });
});

test("one caller cannot open pages without end, and takes no room of others", async () => {
  const at = await site((server) =>
    server.tool("many", {}, async (_input, ctx) => {
      const outcomes = new Map<string, number>();
      for (let n = 0; n < 1_000; n++) {
        const outcome = await ctx
          .confirm(`q${n}`, `Question ${n}?`)
          .then(String, (error: unknown) => (error as { data?: { limit?: string } }).data?.limit ?? "page");
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      return JSON.stringify([...outcomes]);
    }),
  );
  const ada = await at.client("ada");
  expect(JSON.parse((await ada.callTool("many", {}, { timeout: 110_000 })).text!)).toEqual([
    ["page", 20],
    ["userPages().limits.maxPages", 980],
  ]);
  const bob = await at.client("bob");
  expect((await bob.callTool("many", {}, { timeout: 110_000 })).text).toContain('["page",20]');
});

describe("a secret", () => {
  test("is in no message, log line, audit record, error or page, even if a handler tries", async () => {
    const lines: string[] = [];
    const wire: string[] = [];
    const at = await site(
      (server) => {
        server.use(audit({ write: (record) => void lines.push(JSON.stringify(record)), contents: true }) as never);
        server.use(log({ write: (entry: unknown) => void lines.push(JSON.stringify(entry)) } as never) as never);
        server.tool("leak", {}, async (_input, ctx) => {
          const secret = await ctx.secret("github", { message: "A token" });
          await ctx.log.error(`got ${secret}`);
          await ctx.progress(1, 2, secret);
          return { content: [{ type: "text", text: `it is ${secret}` }], structuredContent: { [secret]: [secret] } };
        });
        server.tool("fail", {}, async (_input, ctx) => {
          const secret = await ctx.secret("github", { message: "A token" });
          throw new Error(`GET https://api.example/?key=${secret}`, { cause: new Error(secret) });
        });
      },
      { onError: (error) => void lines.push(String((error as Error).stack), String((error as Error).cause)) },
    );
    const ada = await at.client("ada", { logLevel: "debug", onLog: ({ data }) => void wire.push(JSON.stringify(data)) });
    await new PageBrowser("ada").answer(pageIn((await ada.callTool("leak")).text), yes);
    const leaked = await ada.callTool("leak", {}, { onProgress: (progress) => void wire.push(JSON.stringify(progress)) });
    expect(leaked.text).toBe("it is [secret]");
    const failed = await ada.callTool("fail");
    wire.push(JSON.stringify([leaked, failed]));
    expect(lines.length).toBeGreaterThan(3);
    expect(wire.join()).toContain("got [secret]");
    expect(lines.join()).toContain("?key=[secret]");
    expect([...wire, ...lines].filter((text) => text.includes(SECRET))).toEqual([]);
  });

  test.each([
    ["an object of a class", (secret) => new Account(secret)],
    [
      "an object without a prototype, in a list",
      (secret) => ({ found: [Object.assign(Object.create(null) as object, { secret })] }),
    ],
    ["an object that says its JSON itself", (secret) => ({ secret: { toJSON: () => [secret] } })],
    ["a URL", (secret) => ({ at: new URL(`https://api.example/${secret}`) })],
    ["JSON with escapes", (secret) => ({ secret: `${secret}"\n` }), `${SECRET}"\\n\\`],
  ] satisfies [string, (secret: string) => unknown, string?][])(
    "is in no result that is %s",
    async (_what, made, given = SECRET) => {
      const at = await site((server) => {
        server.tool("leak", {}, async (_input, ctx) => made(await ctx.secret("github", { message: "A token" })) as object);
      });
      const ada = await at.client("ada");
      await new PageBrowser("ada").answer(pageIn((await ada.callTool("leak")).text), { ...yes, secret: given });
      const leaked = JSON.stringify(await ada.callTool("leak"));
      expect(leaked).toContain("[secret]");
      expect(leaked).not.toContain(SECRET);
    },
  );

  test.each([
    ["a text as its cause", (secret) => new Error("failed", { cause: secret })],
    ["an object as its cause", (secret) => new Error("failed", { cause: { url: [secret] } })],
    ["errors in it", (secret) => new AggregateError([new Error(secret), secret], "failed")],
    ["an object of a class in it", (secret) => Object.assign(new Error("failed"), { account: new Account(secret) })],
    ["no error but a text", (secret) => secret],
  ] satisfies [string, (secret: string) => unknown][])(
    "is in no failure that an operator reads, with %s",
    async (_what, made) => {
      const reported: unknown[] = [];
      const tools = (server: McpServer): void => {
        server.tool("fail", {}, async (_input, ctx) => {
          throw made(await ctx.secret("github", { message: "A token" }));
        });
      };
      const at = await site(tools, { onError: (error) => void reported.push(error) });
      const ada = await at.client("ada");
      await new PageBrowser("ada").answer(pageIn((await ada.callTool("fail")).text), yes);
      expect((await ada.callTool("fail")).isError).toBe(true);
      const read = inspect(reported, { depth: 9 });
      expect(read).toContain("[secret]");
      expect(read).not.toContain(SECRET);
    },
  );

  test("is in no result that a call with a key keeps for another node", async () => {
    const { keyed } = memoryStores();
    const input = z.object({ id: z.string() });
    const tools = (server: McpServer): void => {
      const once = { key: "id", ttl: 60_000, store: keyed } as const;
      server.tool("pay", { input, once }, async (_input, ctx) => `with ${await ctx.secret("github", { message: "A token" })}`);
    };
    const options = { pages: { store: keyed, keys: KEYS } };
    const [one, other] = [await site(tools, options), await site(tools, options)];
    const ada = await one.client("ada");
    await new PageBrowser("ada").answer(pageIn((await ada.callTool("pay", { id: "a" })).text), yes);
    expect((await ada.callTool("pay", { id: "a" })).text).toBe("with [secret]");
    expect((await (await other.client("ada")).callTool("pay", { id: "a" })).text).toBe("with [secret]");
  });

  test("is sealed in the store: bound to its user and name, and asked again if it was moved or damaged", async () => {
    const keyed = new MemoryKeyedStore();
    const written = new Map<string, string>();
    const store: KeyedStore = Object.assign(Object.create(keyed) as KeyedStore, {
      read: (key: string) => keyed.read(key),
      swap: (key: string, ...rest: [undefined, { value: string; ms: number }]) => {
        if (rest[1] !== undefined) written.set(key, rest[1].value);
        return keyed.swap(key, ...rest);
      },
      now: undefined,
    });
    const seen: string[] = [];
    const at = await site((server) => addTools(server, seen), { pages: { store, keys: KEYS } });
    await new PageBrowser("ada").answer(await pageOf(at), yes);
    expect([...written.values()].join()).not.toContain(SECRET);
    const [mine] = [...written].filter(([key]) => key.includes("ada") && key.startsWith("secrets of"));
    const theirs = mine![0].replace("ada", "mallory");
    keyed.swap(theirs, undefined, { value: mine![1], ms: 60_000 });
    expect(await secrets.names({ issuer: ISSUER, subject: "mallory" }, { store })).toEqual(["github"]);
    const asked = await (await at.client("mallory")).callTool("key");
    expect(asked.text).toContain('has to give "github"');
    expect(seen).toEqual([]);
    await new PageBrowser("mallory").answer(pageIn(asked.text), { ...yes, secret: "mallory's own" });
    await (await at.client("mallory")).callTool("key");
    await (await at.client("ada")).callTool("key");
    expect(seen).toEqual(["mallory's own", SECRET]);
  });

  test("is not given, and nothing is confirmed, while the store is away", async () => {
    const keyed = new MemoryKeyedStore();
    const state = { isAway: false };
    const guarded =
      (name: "read" | "swap") =>
      (...given: never[]): unknown => {
        if (state.isAway) throw new Error("The store is away");
        return (keyed[name] as (...all: never[]) => unknown)(...given);
      };
    const store = Object.assign(Object.create(keyed) as KeyedStore, {
      read: guarded("read"),
      swap: guarded("swap"),
      now: undefined,
    });
    const at = await site(addTools, { pages: { store, keys: KEYS } });
    const [key, ask] = [await pageOf(at), await pageOf(at, "ada", "ask")];
    const browser = new PageBrowser("ada");
    const shown = await browser.open(ask);
    state.isAway = true;
    expect((await new PageBrowser("ada").open(key)).status).toBe(502);
    expect((await browser.send(shown, { choice: "yes" })).status).toBe(502);
    const ada = await at.client("ada");
    for (const tool of ["key", "ask"]) expect((await ada.callTool(tool)).isError).toBe(true);
    state.isAway = false;
    expect((await ada.callTool("ask")).text).not.toBe("gone");
  });

  test("needs keys that all nodes have, if other processes have its store", async () => {
    const errors: string[] = [];
    const { keyed } = memoryStores();
    const far = Object.create(keyed, { read: { value: (key: string) => keyed.read(key) } }) as KeyedStore;
    const foreign = new Proxy({} as KeyedStore, { get: (_target, name) => Reflect.get(far, name) as unknown });
    const at = await site(addTools, { pages: { store: foreign }, onError: (error) => void errors.push(String(error)) });
    expect((await (await at.client("ada")).callTool("key")).isError).toBe(true);
    expect(errors.join()).toContain('needs the option "keys"');
  });
});

test("a page of this machine is not served under another name, nor to a form of another origin [DNS rebinding]", async () => {
  const { connect } = await import("tenon");
  const { userPages } = await import("tenon/pages");
  const { testServer } = await import("../support/test-server.ts");
  const outcomes: unknown[] = [];
  const server = testServer({
    pages: userPages({
      open: async (url) => {
        const text = await raw(
          url,
          `GET ${url.pathname} HTTP/1.1\r\nHost: evil.example:${url.port}\r\nConnection: close\r\n\r\n`,
        );
        outcomes.push(text.split("\r\n")[0]);
        const browser = new PageBrowser();
        const shown = await browser.open(url.href);
        outcomes.push((await browser.send(shown, yes, { origin: "http://evil.example" })).status);
        outcomes.push((await browser.send(shown, yes)).status);
      },
    }),
  });
  addTools(server);
  const client = await connect(server);
  expect((await client.callTool("key")).text).toBe("1 read");
  await client.close();
  await server.close();
  expect(outcomes).toEqual(["HTTP/1.1 404 Not Found", 400, 200]);
});

function raw(url: URL, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(Number(url.port), url.hostname, () => socket.write(text));
    let read = "";
    socket.on("data", (chunk: Buffer) => (read += chunk.toString()));
    socket.on("end", () => resolve(read));
    socket.on("error", reject);
  });
}
