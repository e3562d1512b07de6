import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { LoginPage } from "../../auth/grants/redirection.ts";
import { loopback } from "./oauth-loopback.ts";
import { openBrowser, safeHref } from "./open-browser.ts";
import { assertHas } from "../../../test/support/needs.ts";

const PAGE = new URL("https://as.example/authorize?state=s");
const NEVER = new AbortController().signal;
const pages: LoginPage[] = [];

afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function begin(options: Parameters<typeof loopback>[0] = {}, previous?: string): Promise<LoginPage> {
  const page = await loopback({ open: () => undefined, ...options }).begin(previous, NEVER);
  pages.push(page);
  return page;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

function get(url: string, { method = "GET", host }: { method?: string; host?: string } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, ...(host !== undefined && { headers: { host } }) }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.once("error", reject);
    sent.end();
  });
}

describe("d.5.8 a user comes back from a login [fault O5 R15]", () => {
  test("to 127.0.0.1, at a free port, and sees a page that is always the same", async () => {
    const [page, other] = [await begin(), await begin()];
    expect(page.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(page.redirectUri).not.toBe(other.redirectUri);
    const arrived = page.visit(PAGE, "s", NEVER);
    const answer = await get(`${page.redirectUri}?state=s&code=c&name=<script>alert(1)</script>`);
    expect((await arrived).search).toBe("?state=s&code=c&name=%3Cscript%3Ealert(1)%3C/script%3E");
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        "content-security-policy": expect.stringMatching(
          /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; .*frame-ancestors 'none';/,
        ) as string,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
      },
    });
    const failed = other.visit(PAGE, "t", NEVER);
    const same = await get(`${other.redirectUri}?state=t&error=access_denied&error_description=<b>no</b>`);
    expect((await failed).searchParams.get("error")).toBe("access_denied");
    expect(same.body).toBe(answer.body);
  });

  test("any other request gets a response and changes nothing, also ten thousand of them", async () => {
    const page = await begin();
    const arrived = page.visit(PAGE, "s", NEVER);
    let isBack = false;
    void arrived.then(() => {
      isBack = true;
    });
    const { host, origin } = new URL(page.redirectUri);
    const ok = `${page.redirectUri}?state=s&code=c`;
    const expected: [Promise<Answer>, number][] = [
      [get(`${page.redirectUri}?code=c`), 400],
      [get(`${page.redirectUri}?state=other&code=c`), 400],
      [get(`${page.redirectUri}?state=other&error=access_denied`), 400],
      [get(`${page.redirectUri}?state=s&state=s&code=c`), 400],
      [get(`${page.redirectUri}?state=`), 400],
      [get(`${origin}/`), 404],
      [get(`${origin}/callback/?state=s`), 404],
      [get(`${origin}/Callback?state=s`), 404],
      [get(`${origin}/favicon.ico`), 404],
      [get(ok, { method: "POST" }), 405],
      [get(ok, { method: "HEAD" }), 405],
      [get(ok, { method: "OPTIONS" }), 405],
      [get(ok, { host: "evil.example" }), 421],
      [get(ok, { host: `localhost:${new URL(page.redirectUri).port}` }), 421],
      [get(ok, { host: `${host}.evil.example` }), 421],
    ];
    for (const [answer, status] of expected) expect((await answer).status).toBe(status);
    for (let round = 0; round < 100; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => get(`${page.redirectUri}?state=${round}-${index}&code=c`)));
    }
    expect(isBack).toBe(false);
    expect((await get(ok)).status).toBe(200);
    expect((await arrived).searchParams.get("code")).toBe("c");
    expect((await get(ok)).status).toBe(400); // a code counts once
  });

  test("abandoning a login ends the wait, and nothing listens afterwards", async () => {
    const page = await begin();
    const abort = new AbortController();
    const arrived = page.visit(PAGE, "s", abort.signal);
    abort.abort(new Error("enough"));
    await expect(arrived).rejects.toThrow("enough");
    await page.close();
    await expect(get(`${page.redirectUri}?state=s&code=c`)).rejects.toThrow("ECONNREFUSED");
  });

  test("a page that cannot be opened ends the login, and shows no query", async () => {
    const page = await begin({ open: () => Promise.reject(new Error("no browser")) });
    await expect(page.visit(PAGE, "s", NEVER)).rejects.toMatchObject({
      hop: "authorization",
      url: "https://as.example/authorize",
    });
  });

  test("the port of the last login is used again where it is free; else another, unless it was asked for", async () => {
    const first = await begin();
    await first.close();
    const again = await begin({}, first.redirectUri);
    expect(again.redirectUri).toBe(first.redirectUri);
    const other = await begin({}, first.redirectUri);
    expect(other.redirectUri).not.toBe(first.redirectUri);
    const port = Number(new URL(first.redirectUri).port);
    await expect(begin({ port })).rejects.toMatchObject({ hop: "callback", remedy: 'Choose another port (option "port").' });
    for (const foreign of ["https://app.example/callback", "http://127.0.0.1:1/other", "http://localhost:1/callback", "no url"]) {
      expect((await begin({}, foreign)).redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,}\/callback$/);
    }
  });

  test.each([0, 65_536, 1.5, Number.NaN])("an invalid port is refused at once: %d", (port) => {
    expect(() => loopback({ port })).toThrow(/"port"/);
  });
});

describe("d.5.7 what is handed to the system's browser [M4.8 R17]", () => {
  test.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "ms-settings:network",
    "https://user:password@as.example/",
    "https://as.example/?a=%zz",
    "https://as.example/?a=%",
    "https://as.example/?a=`id`",
    "https://as.example/?a=^b",
    "https://as.example/?a=|calc",
    "https://as.example/?a={b}",
    "https://as.example/a?c=\\d",
  ])("never %s", async (url) => {
    expect(() => safeHref(new URL(url))).toThrow(TypeError);
    await expect(openBrowser(new URL(url))).rejects.toThrow(TypeError);
  });

  test("a web address as the parser writes it", () => {
    expect(safeHref(new URL("HTTPS://AS.example/a b?c=d&e=%20f"))).toBe("https://as.example/a%20b?c=d&e=%20f");
    expect(safeHref(new URL('https://as.example/?a=\'"b"<c>'))).toBe("https://as.example/?a=%27%22b%22%3Cc%3E");
  });

  test("in one argument, to one program, and no shell reads it", async (context) => {
    assertHas(context, "linux");
    const directory = mkdtempSync(join(tmpdir(), "tenon-open-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const record = join(directory, "arguments");
    writeFileSync(
      join(directory, "xdg-open"),
      `#!/bin/sh\nfor argument in "$@"; do echo "$argument" >> "${record}.part"; done; mv "${record}.part" "${record}"\n`,
      { mode: 0o755 },
    );
    vi.stubEnv("PATH", `${directory}:${process.env["PATH"]}`);
    const url = "https://as.example/authorize?a=$(touch%20x);b&c=*&d=~";
    await openBrowser(new URL(url));
    await expect.poll(() => readFileSync(record, "utf8")).toBe(`${url}\n`);
    vi.stubEnv("PATH", "/nonexistent");
    await expect(openBrowser(new URL(url))).rejects.toThrow("ENOENT");
  });

  test("which says that it could not, as it does at a machine without a screen", async (context) => {
    assertHas(context, "linux");
    const directory = mkdtempSync(join(tmpdir(), "tenon-open-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, "xdg-open"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    vi.stubEnv("PATH", `${directory}:${process.env["PATH"]}`);
    await expect(openBrowser(PAGE)).rejects.toThrow("xdg-open opened no page, and ended with 3");
  });

  test("which may be the browser itself, and goes on", async (context) => {
    assertHas(context, "linux");
    const directory = mkdtempSync(join(tmpdir(), "tenon-open-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const record = join(directory, "pid");
    writeFileSync(join(directory, "xdg-open"), `#!/bin/sh\necho $$ > "${record}"\nexec tail -f /dev/null\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${directory}:${process.env["PATH"]}`);
    await openBrowser(PAGE);
    await expect.poll(() => Number(readFileSync(record, "utf8"))).toBeGreaterThan(0);
    process.kill(Number(readFileSync(record, "utf8")));
  });
});
