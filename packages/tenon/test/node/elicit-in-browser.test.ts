/** `elicitInBrowser()` as `onElicit` of a client: what the user's browser sends, and what other pages and programs cannot. */
import { get } from "node:http";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { connect, McpServer } from "tenon";
import { elicitInBrowser, type ElicitInBrowserOptions } from "tenon/node";
import * as z from "zod";
import { launch } from "../runtimes/browser.ts";
import { assertHas } from "../support/needs.ts";
import { closing, describeMatrix } from "../support/matrix.ts";

const SEAT = z.object({
  seat: z.string().min(2).meta({ title: "Seat", description: "Row and letter" }),
  meal: z.enum(["fish", "none"]).optional(),
  age: z.int().min(1).default(30),
  window: z.boolean().optional(),
});

/** A server that asks for a form, or for a page. */
function asking(what: { name?: string; message?: string; schema?: z.ZodObject; url?: string }): McpServer {
  const { name = "airline", message = "Your trip", schema = SEAT, url } = what;
  const server = new McpServer({ name, version: "1" });
  server.tool("ask", {}, async (_input, ctx) =>
    JSON.stringify(url === undefined ? await ctx.elicit("q", { message, schema }) : await ctx.elicitUrl("q", { message, url })),
  );
  return server;
}

/** A user whose browser calls `visit` with each page that is opened. */
function browser(visit: (page: URL) => unknown): { opened: string[]; written: string[]; options: ElicitInBrowserOptions } {
  const [opened, written]: string[][] = [[], []];
  const open = (page: URL): void => {
    opened!.push(page.href);
    void visit(page);
  };
  return { opened: opened!, written: written!, options: { open, write: (line) => void written!.push(line) } };
}

/** Posts a form as a browser does on that page. */
function submit(page: URL, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(page, { method: "POST", body: new URLSearchParams(fields), headers: { origin: page.origin, ...headers } });
}

async function ask(server: McpServer, options: ElicitInBrowserOptions): Promise<unknown> {
  const client = await closing(connect(server, { onElicit: elicitInBrowser(options) }));
  const { text, isError } = await client.callTool("ask");
  return isError ? text : (JSON.parse(text) as unknown);
}

describeMatrix(
  "A question in the browser",
  ({ connect: connectTo }) => {
    it("is a form whose values are checked before they count [L1.4 L1.6]", async () => {
      const pages: string[] = [];
      const { written, options } = browser(async (page) => {
        pages.push(await (await fetch(page)).text());
        const wrong = await submit(page, { action: "accept", field0: "x", field1: "", field2: "forty", field3: "0" });
        pages.push(`${wrong.status} ${await wrong.text()}`);
        await submit(page, { action: "accept", field0: " 12A ", field1: "0", field2: "40", field3: "" });
      });
      const client = await connectTo(asking({}), { onElicit: elicitInBrowser(options) });
      const { text } = await client.callTool("ask");
      expect(JSON.parse(text)).toEqual({ action: "accept", content: { seat: "12A", meal: "fish", age: 40 } });
      expect(pages[0]).toContain("<h1>airline asks</h1>");
      expect(pages[0]).toMatch(/Seat.*Row and letter.*value="30"/s);
      expect(pages[1]).toMatch(/^422 .*value="x".*role="alert".*value="forty".*role="alert"/s);
      expect(written[0]).toMatch(/^airline asks a question: http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}$/);
    });
  },
  ["2025-11-25", "2026-07-28"],
);

test("a form can be declined without filling it in, and the address is gone afterwards", async () => {
  let address: URL | undefined;
  const { options } = browser((page) => void submit((address = page), { action: "decline" }));
  expect(await ask(asking({}), options)).toEqual({ action: "decline" });
  await expect(fetch(address!)).rejects.toThrow("fetch failed");
});

test("a page is shown whole, and opened only after the user agreed [L1.9]", async () => {
  const url = "https://login.example/start?state=1&x=%3Cb%3E";
  let shown = "";
  const agreed = browser(async (page) => {
    if (page.hostname !== "127.0.0.1") return;
    shown = await (await fetch(page)).text();
    await submit(page, { action: "accept" });
  });
  expect(await ask(asking({ url }), agreed.options)).toBe("accept");
  expect(agreed.opened.slice(1)).toEqual([url]);
  expect(shown).toContain('<code class="address">https://login.example/start?state=1&amp;x=%3Cb%3E</code>');
  const refused = browser((page) => submit(page, { action: "decline" }));
  expect(await ask(asking({ url }), refused.options)).toBe("decline");
  expect(refused.opened).toHaveLength(1);
});

describe("Other pages and programs", () => {
  test("cannot answer: from another origin, to another host or path, by another method, or twice", async () => {
    const statuses: number[] = [];
    const { options } = browser(async (page) => {
      const answer = { action: "decline" };
      statuses.push((await submit(page, answer, { origin: "https://evil.example" })).status);
      statuses.push((await submit(page, answer, { origin: "null" })).status);
      statuses.push((await fetch(page, { method: "POST", body: new URLSearchParams(answer) })).status); // no origin
      statuses.push((await submit(new URL("/", page), answer)).status);
      statuses.push((await submit(new URL(`${page.pathname}x`, page), answer)).status);
      statuses.push((await fetch(page, { method: "PUT" })).status);
      statuses.push(await statusWithHost(page, "evil.example"));
      statuses.push((await submit(page, { action: "cancel" })).status);
      statuses.push((await submit(page, { ...answer, more: "x".repeat(300_000) })).status);
      await submit(page, { action: "accept", field0: "12A", field2: "1" });
    });
    expect(await ask(asking({}), options)).toMatchObject({ action: "accept" });
    expect(statuses).toEqual([403, 403, 403, 404, 404, 405, 421, 400, 413]);
  });

  test("nothing of the server is markup, and the page may load and run nothing", async () => {
    let html = "";
    let policy = "";
    const { options } = browser(async (page) => {
      const response = await fetch(page);
      policy = response.headers.get("content-security-policy")!;
      html = await response.text();
      await submit(page, { action: "decline" });
    });
    const evil = `<script>alert(1)</script>"'>\u202E`;
    const schema = z.object({ [evil]: z.enum([evil]).meta({ title: evil, description: evil }) });
    expect(await ask(asking({ name: evil, message: evil, schema }), options)).toEqual({ action: "decline" });
    expect(html).not.toMatch(/<script|\u202E|"'>/);
    expect(html.split("&lt;script&gt;").length).toBeGreaterThan(5);
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'$/,
    );
  });

  test("a field may have any name", async () => {
    const { options } = browser((page) => submit(page, { action: "accept", field0: "a", field1: "b" }));
    const schema = z.object({ action: z.string(), ["__proto__x"]: z.string() });
    expect(await ask(asking({ schema }), options)).toEqual({ action: "accept", content: { action: "a", __proto__x: "b" } });
  });
});

test("a form that looks like it asks for a secret is declined, and the user sees why", async () => {
  const { opened, written, options } = browser(() => undefined);
  expect(await ask(asking({ schema: z.object({ apiKey: z.string() }) }), options)).toEqual({ action: "decline" });
  expect(opened).toEqual([]);
  expect(written).toEqual(["airline asks for what looks like a secret (apiKey). The question was declined."]);
});

test("a call that its caller gives up takes its page away", async () => {
  const stop = new AbortController();
  let address: URL | undefined;
  const { options } = browser((page) => {
    address = page;
    stop.abort(new Error("enough"));
  });
  const client = await closing(connect(asking({}), { onElicit: elicitInBrowser(options) }));
  await expect(client.callTool("ask", {}, { signal: stop.signal })).rejects.toThrow("enough");
  await expect
    .poll(() =>
      fetch(address!).then(
        () => "open",
        () => "gone",
      ),
    )
    .toBe("gone");
});

test("a browser that cannot be opened is no failure: the address is written down", async () => {
  const { written, options } = browser(() => undefined);
  const open = (page: URL): never => {
    void submit(page, { action: "decline" });
    throw new Error("no browser");
  };
  expect(await ask(asking({}), { ...options, open })).toEqual({ action: "decline" });
  expect(written[1]).toMatch(/^It cannot be opened from here \(Error: no browser\): copy the address into your browser: http:/);
});

test("wrong options are refused", () => {
  expect(() => elicitInBrowser({ ports: 1 } as never)).toThrow(/Unknown option "ports" of elicitInBrowser/);
  expect(() => elicitInBrowser({ port: 70_000 })).toThrow(RangeError);
});

test("in a real browser the form is filled in, corrected and sent", async ({ skip }) => {
  assertHas({ skip }, "chromium");
  const chromium = await launch();
  onTestFinished(() => chromium.close());
  const page = await chromium.newPage({ viewport: { width: 400, height: 800 } });
  const complaints: string[] = [];
  page.on("console", (message) => void complaints.push(message.text()));
  const { options } = browser(async (address) => {
    await page.goto(address.href);
    await page.getByLabel("Seat").fill("x");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Seat").fill("12A");
    await page.getByLabel("window").selectOption("Yes");
    await page.getByRole("button", { name: "Send" }).click();
  });
  expect(await ask(asking({}), options)).toEqual({ action: "accept", content: { seat: "12A", age: 30, window: true } });
  expect(complaints.filter((text) => !text.includes("422"))).toEqual([]);
});

/** The status for a request with another `Host`, which `fetch` does not send. */
function statusWithHost(page: URL, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(page, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    }).once("error", reject);
  });
}
