/** Extensions written with the contract, as anyone can write them: what each member of it does, on every way to connect. */
import { describe, expect, it } from "vitest";
import { acceptorOf, connect, createMemoryPair, JsonRpcDispatcher, type McpServer, type Client, type JsonObject } from "tenon";
import { defineExtension, type Extension } from "tenon/ext";
import { serve } from "../http/support.ts";
import { failureOf } from "../support/failure-of.ts";
import { closing, describeMatrix } from "../support/matrix.ts";
import { Recorder } from "tenon/testing";
import { testServer } from "../support/test-server.ts";

const ID = "com.example/weather";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

/** Weather by city: a method, a filter, a kind of result, a member of tools, and a client that understands them. */
function weather(heard: JsonObject[] = []): Extension & { rain: (city: string) => void } {
  const watchers = new Set<(city: string) => void>();
  const extension = defineExtension({
    id: ID,
    settings: { units: "metric" },
    since: "2026-07-28",
    methods: [{ method: "weather/get", kind: "request", sender: "client", since: "2026-07-28" }],
    notifications: ["notifications/weather"],
    resultTypes: { forecast: ["tools/call"] },
    headerNames: { "weather/get": "city" },
    listenFilters: ["cities"],
    server: () => ({
      handlers: { "weather/get": ({ params }) => ({ city: params["city"], sky: "clear" }) },
      tool: (_name, options) => {
        if (!("_meta" in options)) return undefined;
        return {
          listed: { annotations: { readOnlyHint: true } },
          call: (context, run) => {
            const wants = context.client.capabilities.extensions?.[ID] !== undefined;
            return wants ? ({ resultType: "forecast", sky: "cloudy" } as never) : run(context);
          },
        };
      },
      listen: (_context, wanted) => {
        const cities = (wanted["cities"] as string[]).filter((city) => city !== "Atlantis");
        return {
          honoured: { cities },
          begin: (notify) => {
            const watcher = (city: string): void =>
              void (cities.includes(city) && notify("notifications/weather", { city, sky: "rain" }));
            watchers.add(watcher);
            return () => watchers.delete(watcher);
          },
        };
      },
    }),
    client: () => ({
      middleware: (next) => async (request) => {
        const result = await next(request);
        return result["resultType"] === "forecast" ? { content: [{ type: "text", text: String(result["sky"]) }] } : result;
      },
      onNotification: (_method, params) => void heard.push(params),
    }),
  });
  return { ...extension, rain: (city) => watchers.forEach((watcher) => watcher(city)) };
}

function createServer(extension?: Extension): McpServer {
  const server = testServer({ ...(extension && { extensions: [extension] }), onError: () => undefined });
  server.tool("sky", { _meta: { forecast: true } }, () => "no forecast");
  server.tool("plain", {}, () => "plain");
  return server;
}

describeMatrix("Extensions", ({ connect, stateless, revision }) => {
  it("are declared by both sides under their id, where the revision has them, and only on request [A6.1 A6.3 A6.5]", async () => {
    const extension = weather();
    const without = await connect(createServer());
    expect(without.serverCapabilities.extensions).toBeUndefined();
    const client = await connect(createServer(extension), { extensions: [extension] });
    expect(client.serverCapabilities.extensions?.[ID]).toEqual(stateless ? { units: "metric" } : undefined);
  });

  it("a method is served with its Mcp-Name header; clients without the extension get an error naming it [A6.4 Z16]", async () => {
    const extension = weather();
    const client = await connect(createServer(extension), { extensions: [extension] });
    const call = client.request("weather/get", { city: "Łódź" });
    if (!stateless) return expect(await failureOf(call)).toMatchObject({ code: -32601 });
    expect(await call).toMatchObject({ city: "Łódź", sky: "clear" });
    const other = await connect(createServer(extension));
    // It does not know the header; where there are headers, they are looked at first (Z4).
    const failure = await failureOf(other.request("weather/get", { city: "Oslo" }));
    if (failure.code === -32020) return;
    expect(failure).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [ID]: {} } } } });
  });

  it("tells what it adds to a tool in lists", async () => {
    const { tools } = await (await connect(createServer(weather()))).listTools();
    const hints = revision >= "2025-03-26" ? [{ readOnlyHint: true }, undefined] : [undefined, undefined];
    expect(tools.map(({ annotations }) => annotations)).toEqual(hints);
  });
});

describeMatrix(
  "What extensions add to stateless revisions",
  ({ connect }) => {
    it("a kind of result is understood where the extension says it can be, and nowhere else [A2.3 requirement O3]", async () => {
      const extension = weather();
      const client = await connect(createServer(extension), { extensions: [extension] });
      expect((await client.callTool("sky")).text).toBe("cloudy");
      expect((await client.callTool("plain")).text).toBe("plain");
      const other = await connect(createServer(extension));
      expect((await other.callTool("sky")).text).toBe("no forecast");
      const declaring = await connect(createServer(extension), { extensions: { [ID]: {} } });
      expect((await failureOf(declaring.callTool("sky"))).message).toMatch(
        /resultType "forecast" is not one this request can have/,
      );
    });

    it("a filter is acknowledged as far as served, and its notifications carry the stream's id [I4 I5 I10]", async () => {
      const heard: JsonObject[] = [];
      const extension = weather(heard);
      const acknowledged: unknown[] = [];
      const client = await connect(createServer(extension), {
        extensions: [extension],
        onMessage: ({ method, params }) =>
          void (method === "notifications/subscriptions/acknowledged" && acknowledged.push(params)),
      });
      const listening = client.request(
        "subscriptions/listen",
        { notifications: { cities: ["Oslo", "Atlantis"], toolsListChanged: true } },
        { requestId: "watch", timeout: Infinity },
      );
      listening.catch(() => undefined);
      await expect
        .poll(() => acknowledged)
        .toEqual([{ _meta: { [SUBSCRIPTION]: "watch" }, notifications: { cities: ["Oslo"], toolsListChanged: true } }]);
      extension.rain("Rome");
      extension.rain("Oslo");
      await expect.poll(() => heard).toEqual([{ _meta: { [SUBSCRIPTION]: "watch" }, city: "Oslo", sky: "rain" }]);
    });

    it("a filter is refused to a client that did not declare the extension [A3.12 requirement O10]", async () => {
      const client = await connect(createServer(weather()));
      const listening = client.request("subscriptions/listen", { notifications: { cities: ["Oslo"] } });
      expect(await failureOf(listening)).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { [ID]: {} } } },
      });
    });
  },
  ["2026-07-28"],
);

describe("Extensions", () => {
  it("an id has a prefix [A6.3]", () => {
    expect(() => defineExtension({ id: "weather" })).toThrow(/must be a dotted prefix, a slash and a name/);
    expect(defineExtension({ id: "com.example/weather" }).id).toBe("com.example/weather");
  });

  it("two extensions stand beside each other, on both sides", async () => {
    const extension = weather();
    const tides = defineExtension({
      id: "com.example/tides",
      methods: [{ method: "tides/get", kind: "request", sender: "client" }],
      server: () => ({ handlers: { "tides/get": () => ({ tide: "high" }) } }),
    });
    const server = createServer(extension).use(tides);
    const client = await closing(connect(server, { extensions: [tides, extension] }));
    expect(client.serverCapabilities.extensions).toEqual({ [ID]: { units: "metric" }, "com.example/tides": {} });
    expect(await client.request("tides/get")).toMatchObject({ tide: "high" });
    expect((await client.callTool("sky")).text).toBe("cloudy");
  });

  it("over HTTP a name that is missing or another one is -32020 [F2.1 Z16]", async () => {
    const http = await serve(createServer(weather()));
    const meta = { _meta: { "io.modelcontextprotocol/clientCapabilities": { extensions: { [ID]: {} } } } };
    const headers = { "mcp-name": "Oslo" };
    expect((await http.post("weather/get", { ...meta, city: "Oslo" }, headers)).json).toMatchObject({ result: { sky: "clear" } });
    for (const name of [undefined, "Rome"]) {
      const refused = await http.post("weather/get", { ...meta, city: "Oslo" }, { "mcp-name": name });
      expect(refused).toMatchObject({ status: 400, json: { error: { code: -32020, data: { header: "Mcp-Name" } } } });
    }
  });

  it("what a client declares comes with each request, its other extensions included", async () => {
    const [near, far] = createMemoryPair();
    const recorder = new Recorder(near);
    const dispatcher = new JsonRpcDispatcher(far);
    void acceptorOf(createServer(weather())).accept(dispatcher);
    const client: Client = await closing(
      connect(recorder, { extensions: [weather(), defineExtension({ id: "com.example/other" })] }),
    );
    await client.listTools();
    expect(recorder.text).toContain('"extensions":{"com.example/weather":{"units":"metric"},"com.example/other":{}}');
  });

  it.each(["2025-11-25", "2026-07-28"] as const)(
    "the same declaration stands where the revision has it, %s [Z15]",
    async (revision) => {
      const [near, far] = createMemoryPair();
      const recorder = new Recorder(near);
      void acceptorOf(createServer()).accept(new JsonRpcDispatcher(far));
      const settings = { mimeTypes: ["text/html;profile=mcp-app"] };
      const client: Client = await closing(
        connect(recorder, {
          revision,
          validateOutput: false,
          extensions: [defineExtension({ id: "io.modelcontextprotocol/ui", settings })],
        }),
      );
      await client.callTool("plain");
      const sent = recorder.lines.map((line) => JSON.parse(line) as { from: string; message: JsonObject });
      const requests = sent.filter(({ from, message }) => from === "client" && "id" in message).map(({ message }) => message);
      const declared = requests.map(({ method, params }) => {
        const { capabilities, _meta } = params as { capabilities?: JsonObject; _meta?: JsonObject };
        const own = _meta?.["io.modelcontextprotocol/clientCapabilities"] as JsonObject | undefined;
        return [method, (capabilities ?? own)?.["extensions"]];
      });
      const extensions = { "io.modelcontextprotocol/ui": settings };
      const opening = revision === "2026-07-28" ? ["server/discover", extensions] : ["initialize", extensions];
      expect(declared).toEqual([opening, ["tools/call", revision === "2026-07-28" ? extensions : undefined]]);
    },
  );

  it("a tool with the option task without the extension is refused with what it needs", () => {
    expect(() => createServer().tool("long", { task: true }, () => "")).toThrow(/"task" needs tasks\(\) of tenon\/ext\/tasks/);
  });
});
