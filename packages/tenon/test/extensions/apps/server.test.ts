/** Tools with views as a server offers them, on every way to connect. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { ErrorCode, McpUsageError, type Client, type JsonObject } from "tenon";
import { defineExtension } from "tenon/ext";
import { apps, canShowViews, InvalidViewError, type ToolUiOptions } from "tenon/ext/apps";
import type { McpServer, McpServerOptions } from "tenon/server";
import * as z from "zod";
import { failureOf } from "../../support/failure-of.ts";
import { describeMatrix, open } from "../../support/matrix.ts";
import { testServer } from "../../support/test-server.ts";

const HTML = "<!doctype html><title>Weather</title><p>sunny";
const MIME = "text/html;profile=mcp-app";
const UI = "io.modelcontextprotocol/ui";

function weather(options: McpServerOptions = {}): McpServer {
  const server = testServer({ name: "weather", extensions: [apps()], ...options });
  const input = z.object({ city: z.string() });
  const output = z.object({ degrees: z.number() });
  server.tool("weather", { input, output, _meta: { own: 1 }, ui: HTML }, ({ city }) => ({ degrees: city.length }));
  server.tool("refresh", { input, ui: { visibility: ["app"] } }, ({ city }) => city);
  server.tool("plain", {}, () => "plain");
  return server;
}

async function metaOf(client: Client, name: string): Promise<unknown> {
  const { tools } = await client.listTools();
  return tools.find((tool) => tool.name === name)?._meta;
}

describeMatrix("A server of apps", ({ connect, since }) => {
  /** What the revision sends of metadata: before 2025-06-18 tools and contents have none, and every tool is text only. */
  const sent = (meta: JsonObject): JsonObject | undefined => (since("2025-06-18") ? meta : undefined);

  it("lists tools with their views and audiences, to every client [P3]", async () => {
    for (const options of [{}, { extensions: [apps()] }]) {
      const client = await connect(weather(), options);
      expect(await metaOf(client, "weather")).toEqual(sent({ own: 1, ui: { resourceUri: "ui://weather/view.html" } }));
      expect(await metaOf(client, "refresh")).toEqual(sent({ ui: { visibility: ["app"] } }));
      expect(await metaOf(client, "plain")).toBeUndefined();
    }
  });

  it("serves the view as a resource with its media type and its rights [P2 P5]", async () => {
    const server = weather();
    const ui: ToolUiOptions = {
      view: () => HTML,
      uri: "ui://maps/board.html",
      csp: {
        connectDomains: ["HTTPS://api.example.com/", "wss://live.example.com:8443"],
        resourceDomains: ["https://*.example.com"],
      },
      permissions: ["geolocation", "clipboardWrite"],
      domain: "maps.example",
      prefersBorder: false,
    };
    server.tool("map", { ui }, () => "map");
    const client = await connect(server);
    const rights = {
      csp: {
        connectDomains: ["https://api.example.com", "wss://live.example.com:8443"],
        resourceDomains: ["https://*.example.com"],
      },
      permissions: { geolocation: {}, clipboardWrite: {} },
      domain: "maps.example",
      prefersBorder: false,
    };
    expect((await client.readResource("ui://maps/board.html")).contents).toEqual([
      { uri: "ui://maps/board.html", mimeType: MIME, text: HTML, _meta: sent({ ui: rights }) },
    ]);
    expect((await client.readResource("ui://weather/view.html")).contents).toEqual([
      { uri: "ui://weather/view.html", mimeType: MIME, text: HTML },
    ]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType, _meta }) => [uri, mimeType, _meta])).toEqual([
      ["ui://weather/view.html", MIME, undefined],
      ["ui://maps/board.html", MIME, sent({ ui: rights })],
    ]);
  });

  it("gives text with every result, and knows which clients show views [P1]", async () => {
    const server = weather();
    server.tool("where", { ui: HTML }, (_input, ctx) => (canShowViews(ctx) ? "see the view" : "north, then east"));
    server.tool("whole", { ui: HTML }, () => ({ content: [], structuredContent: { a: 1 } }));
    const without = await connect(server);
    expect((await without.callTool("weather", { city: "Rome" })).content).toEqual([{ type: "text", text: '{"degrees":4}' }]);
    expect((await without.callTool("whole")).content).toEqual([{ type: "text", text: '{"a":1}' }]);
    expect((await without.callTool("where")).text).toBe("north, then east");
    const shows = await connect(server, { extensions: [apps()] });
    expect((await shows.callTool("where")).text).toBe("see the view");
    const other = await connect(server, { extensions: [defineExtension({ id: UI, settings: { mimeTypes: ["text/html"] } })] });
    expect((await other.callTool("where")).text).toBe("north, then east");
  });

  it("declares the media types that it shows, as a client [P1]", async () => {
    const server = testServer({ name: "plain" });
    server.tool("declared", {}, (_input, ctx) => ({ declared: ctx.client.capabilities.extensions?.[UI] }));
    const client = await connect(server, { extensions: [apps()] });
    expect(JSON.parse((await client.callTool("declared")).text)).toEqual({ declared: { mimeTypes: [MIME] } });
  });
});

describe("A view", () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), "tenon-views-"));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  };
  const read = async (server: McpServer): Promise<unknown> => {
    const client = await open("direct", server);
    onTestFinished(() => client.close());
    const [content] = (await client.readResource("ui://board/view.html")).contents;
    return content && "text" in content ? content.text : content;
  };
  const board = (ui: ToolUiOptions["view"] | ToolUiOptions, options: McpServerOptions = {}): McpServer => {
    const server = testServer({ name: "board", extensions: [apps()], ...options });
    server.tool("board", { ui: ui! }, () => "board");
    return server;
  };

  it("that is a file is read anew for each request [P2]", async () => {
    const file = join(folder(), "board.html");
    writeFileSync(file, "<p>one");
    const server = board(pathToFileURL(file));
    expect(await read(server)).toBe("<p>one");
    writeFileSync(file, "<p>two");
    expect(await read(server)).toBe("<p>two");
  });

  it("that is a script is bundled with its imports and styles into one document [P2]", async () => {
    const path = folder();
    writeFileSync(join(path, "style.css"), "p { color: red }");
    writeFileSync(join(path, "word.ts"), 'export const word: string = "</script><!--";');
    writeFileSync(join(path, "view.ts"), 'import "./style.css"; import { word } from "./word.ts"; document.title = word;');
    const html = String(await read(board({ bundle: pathToFileURL(join(path, "view.ts")) })));
    expect(html).toMatch(/^<!doctype html>/);
    expect(html).toContain("<style>p{color:red}");
    expect(html.match(/<\/script/g)).toHaveLength(1);
    expect(html).not.toContain("<!--");
    expect(html).not.toContain("import");
  });

  it.each([
    ["a string", () => board("<p>123456789", { extensions: [apps({ maxHtmlBytes: 10 })] })],
    [
      "a file",
      () => {
        const file = join(folder(), "board.html");
        writeFileSync(file, "<p>123456789");
        return board(pathToFileURL(file), { extensions: [apps({ maxHtmlBytes: 10 })] });
      },
    ],
  ])("longer than the limit is refused, as %s", async (_what, make) => {
    expect(await failureOf(read(make()))).toMatchObject({
      code: ErrorCode.InvalidRequest,
      data: { limit: "maxHtmlBytes", max: 10, actual: 12 },
    });
  });

  it("can be changed with its tool, and shared by two tools [P3]", async () => {
    const server = testServer({ name: "board", extensions: [apps()] });
    const tool = server.tool("board", { ui: "<p>one" }, () => "board");
    const shared = { view: "<p>shared", uri: "ui://shared" };
    server.tool("a", { ui: shared }, () => "a");
    server.tool("b", { ui: shared }, () => "b");
    expect(() => server.tool("c", { ui: { ...shared, csp: { connectDomains: ["https://a.example"] } } }, () => "c")).toThrow(
      McpUsageError,
    );
    expect(await read(server)).toBe("<p>one");
    tool.update({ ui: "<p>two" });
    expect(await read(server)).toBe("<p>two");
  });

  it("fails the call of its tool if the tool returns nothing, and tells the operator why [P1]", async () => {
    const told: Error[] = [];
    const server = testServer({ name: "board", extensions: [apps()], onError: (error) => void told.push(error as Error) });
    server.tool("empty", { ui: HTML }, () => undefined);
    const client = await open("direct", server);
    onTestFinished(() => client.close());
    const result = await client.callTool("empty");
    expect(result.isError).toBe(true);
    expect(told.map(({ message }) => message).join()).toContain('Tool "empty" has a view and returned nothing');
  });

  it("needs the extension", () => {
    const server = testServer({ name: "board" });
    expect(() => server.tool("board", { ui: HTML }, () => "")).toThrow(/"ui" needs apps\(\) of tenon\/ext\/apps/);
  });

  it.each<[string, unknown, RegExp | typeof InvalidViewError]>([
    ["a path", "dist/view.html", /new URL/],
    ["a URL of the web", new URL("https://example.com/view.html"), /file: URL/],
    ["a number", 7, /must be/],
    ["an unknown option", { veiw: HTML }, /Did you mean "view"/],
    ["an unknown list", { view: HTML, csp: { connect: [] } }, /connectDomains/],
    ["another scheme in its URI", { view: HTML, uri: "https://x/" }, /ui:\/\//],
    ["an unknown audience", { visibility: ["user"] }, /"model" and "app"/],
    ["no audience", { visibility: [] }, /at least one/],
    ["an unknown permission", { view: HTML, permissions: ["usb"] }, /There are: camera/],
    ...[
      "https://a b",
      "https://a.example/path",
      "*",
      "https://*",
      "http://a.example",
      "javascript:x",
      "https://a.example;script-src *",
      "'self'",
      "https://a.example 'unsafe-eval'",
      "https://*.*.example",
      "https://a.example\nx",
      "data:",
      "https://user@a.example",
      7,
    ].map((origin): [string, unknown, typeof InvalidViewError] => [
      `the origin ${JSON.stringify(origin)}`,
      { view: HTML, csp: { resourceDomains: [origin] } },
      InvalidViewError,
    ]),
  ])("with %s is refused when it is registered [P5]", (_what, ui, reason) => {
    const server = testServer({ name: "board", extensions: [apps()] });
    expect(() => server.tool("board", { ui: ui as ToolUiOptions }, () => "")).toThrow(reason);
  });

  it.each([
    [{ maxHtmlBytes: 0 }, RangeError],
    [{ maxBytes: 1 } as JsonObject, TypeError],
  ])("refuses the options %o", (options, error) => {
    expect(() => apps(options)).toThrow(error);
  });
});
