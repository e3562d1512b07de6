/** The server behind the gateway in the matrix: one of everything that a call can have. */
import { McpServer, UrlElicitationRequiredError } from "tenon";
import { defineExtension, type Extension } from "tenon/ext";
import { tasks } from "tenon/ext/tasks";
import * as z from "zod";
import { testServer } from "../../support/test-server.ts";

const ICON = { src: "https://example.com/icon.png", mimeType: "image/png" };
const page = { message: "Sign here", url: "https://example.com/sign" };
const named = z.object({ name: z.string() });

/** An extension that no part of Tenon knows. */
export const greeting: Extension = defineExtension({
  id: "com.example/greeting",
  settings: { tone: "kind" },
  methods: [{ method: "greeting/say", kind: "request", sender: "client" }],
  server: () => ({ handlers: { "greeting/say": () => ({ text: "Hello" }) } }),
});

/** Reads tasks as they are on the wire, and waits for none. */
export const rawTasks: Extension = defineExtension({
  id: "io.modelcontextprotocol/tasks",
  resultTypes: { task: ["tools/call", "tasks/get"] },
  headerNames: { "tasks/get": "taskId", "tasks/cancel": "taskId", "tasks/update": "taskId" },
});

/** What the server saw, for the probes. */
export interface Seen {
  /** How many calls were cancelled. */
  cancelled: number;
  /** How each endless call began. */
  readonly begun: ("call" | "task")[];
  /** The arguments that the newest completion had besides its own. */
  completed: readonly string[];
}

export function upstream(): { server: McpServer; seen: Seen } {
  const seen: Seen = { cancelled: 0, begun: [], completed: [] };
  const server = testServer({ name: "behind", extensions: [tasks({ pollInterval: 10 }), greeting] });
  addTools(server, seen);
  addQuestions(server);
  addTasks(server, seen);
  server.resource("note://today", { mimeType: "text/plain" }, () => "Buy milk");
  const complete = {
    id: (_value: string, resolved: object) => {
      seen.completed = Object.keys(resolved);
      return ["1", "2"];
    },
  };
  server.resourceTemplate("note://{kind}/{id}", { complete }, ({ id }) => `Note ${id}`);
  server.prompt("review", { input: z.object({ code: z.string() }) }, ({ code }) => `Review ${code}`);
  return { server, seen };
}

function addTools(server: McpServer, seen: Seen): void {
  const described = { title: "Adds", icons: [ICON], annotations: { readOnlyHint: true }, _meta: { "example.com/owner": "ada" } };
  const sum = { ...described, input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) };
  server.tool("add", sum, ({ a, b }) => ({ sum: a + b }));
  server.tool("numbers", { output: z.array(z.number()) }, () => ({ content: [], structuredContent: [1, 2, 3] }));
  server.tool("broken", {}, (_input, ctx) => ctx.fail("The disk is full"));
  server.tool("link", {}, () => ({ content: [{ type: "resource_link", uri: "note://today", name: "today" }] }));
  server.tool("sound", {}, () => ({ content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }));
  server.tool("extra", {}, () => "priced");
  server.use("tools/call", (next) => async (context) => {
    const result = await next(context);
    return context.params["name"] === "extra" ? { ...result, _meta: { "example.com/cost": 3 }, "x-unknown": 7 } : result;
  });
  server.tool("steps", {}, async (_input, ctx) => {
    await ctx.progress(1, 2, "Half");
    await ctx.log.warning("half way");
    return "done";
  });
  server.tool(
    "wait",
    {},
    (_input, ctx) =>
      new Promise((_resolve, reject) =>
        ctx.signal.addEventListener("abort", () => {
          seen.cancelled++;
          reject(ctx.signal.reason as Error);
        }),
      ),
  );
}

/** Each of them says "not declared" if the client cannot answer, so that the matrix shows what the gateway declares. */
function addQuestions(server: McpServer): void {
  const NONE = "not declared";
  server.tool("form", {}, async (_input, ctx) => {
    if (ctx.client.capabilities.elicitation === undefined) return NONE;
    const [one, two] = [
      await ctx.elicit("one", { message: "one", schema: named }),
      await ctx.elicit("two", { message: "two", schema: named }),
    ];
    return [one, two].map(({ action, content }) => content?.name ?? action).join(" ");
  });
  server.tool("together", {}, async (_input, ctx) => {
    if (ctx.client.capabilities.elicitation === undefined) return NONE;
    const asked = ["one", "two"].map((name) => ctx.elicit(name, { message: name, schema: named }));
    return (await Promise.all(asked)).map(({ action, content }) => content?.name ?? action).join(" ");
  });
  server.tool("page", {}, async (_input, ctx) => {
    if (ctx.client.capabilities.elicitation?.url === undefined) return NONE;
    return ctx.elicitUrl("page", page);
  });
  server.tool("page_first", {}, (_input, ctx) => {
    if (ctx.client.capabilities.elicitation?.url === undefined) return NONE;
    throw new UrlElicitationRequiredError([{ mode: "url", elicitationId: "e1", ...page }]);
  });
  server.tool("sample", {}, async (_input, ctx) => {
    if (ctx.client.capabilities.sampling === undefined) return NONE;
    const { content } = await ctx.sample("s", {
      messages: [{ role: "user", content: { type: "text", text: "2+2" } }],
      maxTokens: 5,
    });
    return JSON.stringify(content);
  });
  server.tool("roots", {}, async (_input, ctx) => {
    if (ctx.client.capabilities.roots === undefined) return NONE;
    return (await ctx.roots()).map(({ uri }) => uri).join(" ");
  });
}

function addTasks(server: McpServer, seen: Seen): void {
  server.tool("report", { task: true }, (_input, ctx) => `${ctx.task?.id === undefined ? "call" : "task"}: the report`);
  server.tool("long_report", { task: { support: "required" } }, () => "task: the report");
  server.tool(
    "endless",
    { task: true },
    (_input, ctx) =>
      new Promise((_resolve, reject) => {
        seen.begun.push(ctx.task?.id === undefined ? "call" : "task");
        ctx.signal.addEventListener("abort", () => {
          seen.cancelled++;
          reject(ctx.signal.reason as Error);
        });
      }),
  );
}
