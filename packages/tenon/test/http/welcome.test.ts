// The page of an endpoint (option `welcome`): what a user sees who opens the address in a browser, and what nobody sees there.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bearer } from "tenon/auth";
import { apiKeys } from "tenon/auth/keys";
import { connect } from "tenon/client";
import { createFetchHandler, McpServer, type HttpOptions } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { serve } from "./support.ts";

/** As Firefox, Chromium and Safari send it. */
const PAGE = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const HOSTILE = `"><script>alert(1)</script>`;

function weather(): McpServer {
  const info = {
    name: "weather",
    title: "Weather & wind",
    version: "1.2.3",
    description: "Forecasts of tomorrow",
    websiteUrl: "https://weather.example/",
  };
  const server = new McpServer(info, { instructions: "Say please", onError: () => undefined });
  server.tool("forecast", { description: "The weather of tomorrow" }, () => "Sunny");
  server.tool("purge", { description: "Deletes all", tags: ["admin"] }, () => "gone");
  server.visible((caller, { options }) => !options.tags?.includes("admin") || caller.principal === "ada");
  return server;
}

/** The commands of the page, as a user copies them. */
function commandsOf(html: string): string[] {
  return [...html.matchAll(/<code>(.*?)<\/code>/g)].map(([, code]) => code!.replaceAll(/<\/?span>/g, ""));
}

type Get = (headers?: Record<string, string>) => Promise<Response>;

const EDGES: Record<string, (server: McpServer, options: HttpOptions) => Promise<{ get: Get; url: string }>> = {
  node: async (server, options) => {
    const { url } = await serve(server, options);
    return { url, get: (headers) => fetch(`${url}?q=${encodeURIComponent(HOSTILE)}`, { headers: { accept: PAGE, ...headers } }) };
  },
  fetch: async (server, options) => {
    const handler = createFetchHandler(server, options);
    const url = "http://localhost:4000/mcp";
    return {
      url,
      get: (headers) => handler(new Request(`${url}?q=1`, { headers: { accept: PAGE, host: "localhost:4000", ...headers } })),
    };
  },
};

/** The links of the page, by what they say. */
function linksOf(html: string): Record<string, string> {
  const links = [...html.matchAll(/<a class="button"[^>]* href="([^"]*)">([^<]*)</g)];
  return Object.fromEntries(links.map(([, href, label]) => [label, href!.replaceAll("&amp;", "&")]));
}

describe.each(Object.entries(EDGES))("at the edge of %s", (_edge, start) => {
  test("the page says what the server is, and how each host adds it", async () => {
    const { get, url } = await start(weather(), { welcome: true });
    const response = await get();
    const html = await response.text();
    expect([response.status, response.headers.get("content-type"), response.headers.get("vary")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "Accept",
    ]);
    for (const said of [
      "<h1>Weather &amp; wind</h1>",
      "Version 1.2.3",
      "Forecasts of tomorrow",
      "https://weather.example/",
      "forecast",
      "The weather of tomorrow",
      url,
    ])
      expect(html).toContain(said);
    const links = linksOf(html);
    expect(Object.keys(links)).toEqual(["Add to VS Code", "Add to Cursor", "Add to LM Studio"]);
    expect(JSON.parse(decodeURIComponent(links["Add to VS Code"]!.replace("vscode:mcp/install?", "")))).toEqual({
      name: "weather",
      type: "http",
      url,
    });
    for (const [label, scheme] of [
      ["Add to Cursor", "cursor:"],
      ["Add to LM Studio", "lmstudio:"],
    ] as const) {
      const link = new URL(links[label]!);
      expect([link.protocol, link.searchParams.get("name")]).toEqual([scheme, "weather"]);
      expect(JSON.parse(atob(link.searchParams.get("config")!))).toEqual({ url });
    }
    for (const command of [
      `claude mcp add --transport http weather ${url}`,
      `gemini mcp add --transport http weather ${url}`,
      `codex mcp add weather --url ${url}`,
    ])
      expect(commandsOf(html)).toContain(command);
    for (const host of ["windsurf", "zed"])
      expect(commandsOf(html)).toContain(`npx tenon install ${url} --host ${host} --name weather`);
    for (const host of [
      "Claude Desktop",
      "Claude Code",
      "VS Code",
      "Cursor",
      "Windsurf",
      "Zed",
      "Gemini CLI",
      "Codex",
      "LM Studio",
    ])
      expect(html).toContain(`<h3>${host}</h3>`);
  });

  test("a tool that a stranger may not see, and the instructions for models, are not on it", async () => {
    const html = await (await (await start(weather(), { welcome: true })).get()).text();
    expect(html).not.toMatch(/purge|Deletes all|Say please/);
  });

  test("behind a login the page has the name and the address only", async () => {
    const auth = bearer({ issuer: "https://issuer.example", audience: "http://localhost/mcp", verify: () => undefined });
    const { get } = await start(weather(), { welcome: true, auth });
    const response = await get();
    const html = await response.text();
    expect([response.status, html]).toEqual([200, expect.stringContaining("Weather &amp; wind")]);
    expect(html).toContain("asks for a login");
    expect(commandsOf(html)).toContain("claude mcp add --transport http weather http://localhost/mcp");
    expect(html).not.toMatch(/forecast|Forecasts|1\.2\.3|issuer\.example|weather\.example|Say please/);
    expect((await get({ accept: "application/json" })).status).toBe(401);
  });

  test("of a server that has keys and no login, the page says how a key is sent", async () => {
    const auth = apiKeys({ store: memoryStores().keyed, prefix: "weather" });
    const html = await (await (await start(weather(), { welcome: true, auth })).get()).text();
    expect(html).toContain("Authorization: Bearer &lt;key&gt;");
    expect(html).not.toContain("a login");
  });

  test("nothing of the server, of its tools or of the request becomes markup", async () => {
    const server = new McpServer({
      name: HOSTILE,
      title: HOSTILE,
      version: HOSTILE,
      description: HOSTILE,
      websiteUrl: `https://x.example/${HOSTILE}`,
    });
    server.tool("t", { description: HOSTILE, title: HOSTILE }, () => "");
    const html = await (await (await start(server, { welcome: true })).get()).text();
    expect(html).not.toContain("<script>");
    expect(html).not.toMatch(/ href="(?!vscode:|cursor:|lmstudio:|https:)/);
    expect(commandsOf(html).join()).toContain("claude mcp add --transport http script-alert-1-script ");
  });

  test("the policy lets in the stylesheets of the page and nothing else", async () => {
    const response = await (await start(weather(), { welcome: true })).get();
    const html = await response.text();
    const hashes = [...html.matchAll(/<style>([^]*?)<\/style>/g)].map(([, css]) =>
      createHash("sha256").update(css!).digest("base64"),
    );
    const policy = response.headers.get("content-security-policy");
    expect(hashes).toHaveLength(2);
    expect(policy).toBe(
      `default-src 'none'; style-src ${hashes.map((hash) => `'sha256-${hash}'`).join(" ")}; ` +
        `base-uri 'none'; frame-ancestors 'none'; form-action 'self'`,
    );
    expect([
      response.headers.get("x-content-type-options"),
      response.headers.get("cache-control"),
      response.headers.get("x-frame-options"),
    ]).toEqual(["nosniff", "no-store", "DENY"]);
  });

  test("who asks for an event stream, for JSON or in a session gets what it got without the page", async () => {
    const [plain, shown] = [await start(weather(), {}), await start(weather(), { welcome: true })];
    for (const headers of [
      { accept: "text/event-stream" },
      { accept: "text/html, text/event-stream" },
      { accept: "application/json" },
      { "mcp-session-id": "x" },
    ]) {
      const [before, now] = [await plain.get(headers), await shown.get(headers)];
      expect([now.status, now.headers.get("content-type"), await now.text()]).toEqual([
        before.status,
        before.headers.get("content-type"),
        await before.text(),
      ]);
    }
  });

  test("without the option, and for a host or an origin that is not allowed, there is no page", async () => {
    for (const options of [{}, { welcome: false }]) expect((await (await start(weather(), options)).get()).status).toBe(400);
    const { get } = await start(weather(), { welcome: true });
    expect((await get({ origin: "https://evil.example" })).status).toBe(403);
  });

  test("the address is the one of the options, and Claude Desktop takes it if it is public", async () => {
    const html = await (await (await start(weather(), { welcome: { url: "https://mcp.example.com/v1/mcp?x=1" } })).get()).text();
    expect(linksOf(html)["Open the connectors"]).toBe("https://claude.ai/settings/connectors");
    expect(html).toContain('<code class="address">https://mcp.example.com/v1/mcp</code>');
    expect(html).not.toContain("localhost");
  });
});

test("a host name without a port counts as TLS that a proxy ends, and its path cannot become another command", async () => {
  const handle = createFetchHandler(weather(), { welcome: true, allowedHosts: "any" });
  const seen = async (path: string): Promise<string[]> =>
    commandsOf(await (await handle(new Request(`https://mcp.example.com${path}`, { headers: { accept: PAGE } }))).text());
  expect(await seen("/mcp")).toContain("codex mcp add weather --url https://mcp.example.com/mcp");
  const hostile = await seen("/a;$(reboot)&`x`'");
  expect(hostile).toContain("codex mcp add weather --url &quot;https://mcp.example.com/a%3B%24%28reboot%29%26%60x%60%27&quot;");
  const { raw } = await serve(weather(), { welcome: true, allowedHosts: ["mcp.example.com"] });
  const { text } = await raw({ method: "GET", headers: { accept: PAGE, host: "mcp.example.com" } });
  expect(text).toContain('<code class="address">https://mcp.example.com/mcp</code>');
});

test("the page goes on while clients are served, and a server without tools has none on it", async () => {
  const { url } = await serve(new McpServer({ name: "empty", version: "1" }), { welcome: true });
  await using client = await connect(url);
  expect(client.serverInfo?.name).toBe("empty");
  expect(await (await fetch(url, { headers: { accept: PAGE } })).text()).not.toContain("What it can do");
});

test.each([
  [1, 'Option "welcome" must be true, false or { url }, not 1'],
  [{ url: "javascript:alert(1)" }, 'welcome.url: "javascript:alert(1)" must be an http: or https: URL'],
  [{ link: "x" }, 'Unknown option "link" of "welcome" of createFetchHandler()'],
])("the option %j is refused with what it must be", (welcome, message) => {
  // A program without types may pass anything.
  expect(() => createFetchHandler(weather(), { welcome } as HttpOptions)).toThrow(message);
});
