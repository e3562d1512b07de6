/** The rows of the matrix: each probes one feature through a gateway, from outside, and says what becomes of it. */
import { expect, vi } from "vitest";
import { connect, type Client, type ConnectOptions, type McpServer, type ProtocolVersion } from "tenon";
import { tasks } from "tenon/ext/tasks";
import { createGateway } from "tenon/gateway";
import { greeting, rawTasks, upstream, type Seen } from "./upstream.ts";

/** What becomes of a feature. Each word is explained on the page. */
export type Outcome = "passes" | "as text" | "left out" | "not declared" | "refused" | "no message" | "waited for";

/** One pair of revisions. */
export interface Pair {
  readonly front: ProtocolVersion;
  readonly behind: ProtocolVersion;
  readonly server: McpServer;
  readonly seen: Seen;
  /** A client of the gateway. */
  readonly client: (options?: ConnectOptions) => Promise<Client>;
  readonly close: () => Promise<void>;
}

export interface Feature {
  readonly group: string;
  readonly name: string;
  readonly probe: (pair: Pair) => Promise<Outcome>;
}

/** A gateway in front of a server of its own, for one pair. */
export function pairOf(front: ProtocolVersion, behind: ProtocolVersion): Pair {
  const { server, seen } = upstream();
  const gateway = createGateway({
    readyTimeout: 60_000,
    servers: { up: { target: server, revision: behind } },
    share: "principal",
    limits: { pageSize: 5 },
    onError: () => undefined,
  });
  const clients: Client[] = [];
  const client = async (options?: ConnectOptions): Promise<Client> => {
    const connected = await connect(gateway, { revision: front, ...options });
    clients.push(connected);
    return connected;
  };
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((one) => one.close()));
    await gateway.close();
    await server.close();
  };
  return { front, behind, server, seen, client, close };
}

const PATIENT = { timeout: 60_000, interval: 5 };

const able: ConnectOptions = {
  onElicit: ({ message }) => ({ action: "accept", content: { name: message.toUpperCase() } }),
  elicitationModes: ["form", "url"],
  onSample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "4" } }),
  roots: [{ uri: "file:///work" }],
};

const passesIf = (passed: boolean): Outcome => (passed ? "passes" : "left out");

/** What becomes of a question: what the tool says that asks it. */
function question(tool: string, answer: string): Feature["probe"] {
  return async ({ client }) => {
    const { text } = await (await client(able)).callTool(`up__${tool}`);
    if (text === "not declared") return text;
    if (text !== answer) throw new Error(`The tool "${tool}" returned ${JSON.stringify(text)}`);
    return "passes";
  };
}

async function tool(pair: Pair, name: string): Promise<Record<string, unknown>> {
  const client = await pair.client();
  for await (const listed of client.tools())
    if (listed.name === `up__${name}`) return listed as unknown as Record<string, unknown>;
  throw new Error(`No tool "${name}"`);
}

async function result(pair: Pair, name: string, args = {}): Promise<Record<string, unknown>> {
  return (await (await pair.client()).callTool(`up__${name}`, args)) as unknown as Record<string, unknown>;
}

function member(name: string): Feature["probe"] {
  return async (pair) => passesIf((await tool(pair, "add"))[name] !== undefined);
}

function block(name: string, type: string): Feature["probe"] {
  return async (pair) => {
    const [first] = (await result(pair, name))["content"] as { type: string }[];
    if (first?.type === type) return "passes";
    return first?.type === "text" ? "as text" : "left out";
  };
}

const LISTS: Omit<Feature, "group">[] = [
  {
    name: "Tools, prompts, resources, templates",
    probe: async ({ client }) => {
      const one = await client();
      const { contents } = await one.readResource("note://today");
      const made = await one.readResource("note://by/7");
      const { messages } = await one.getPrompt("up__review", { code: "x" });
      const read = [contents[0], made.contents[0], messages[0]?.content].map((from) => (from as { text: string }).text);
      return passesIf(read.join() === "Buy milk,Note 7,Review x");
    },
  },
  {
    name: "One cursor over all pages of all servers",
    probe: async ({ client }) => {
      const names: string[] = [];
      for await (const { name } of (await client()).tools()) names.push(name);
      return passesIf(names.length > 5 && new Set(names).size === names.length);
    },
  },
  { name: "Annotations of tools", probe: member("annotations") },
  { name: "Titles", probe: member("title") },
  { name: "Icons", probe: member("icons") },
  { name: "Output schemas", probe: member("outputSchema") },
  {
    name: "Cache hints",
    probe: async ({ client }) => passesIf((await (await client()).listTools()).ttlMs !== undefined),
  },
  {
    name: "Completion",
    probe: async ({ client }) => {
      const ref = { type: "ref/resource", uri: "note://{kind}/{id}" } as const;
      return passesIf(
        (await (await client()).complete({ ref, argument: { name: "id", value: "" } })).completion.values.join() === "1,2",
      );
    },
  },
  {
    name: "Arguments so far, in a completion",
    probe: async ({ client, seen }) => {
      const ref = { type: "ref/resource", uri: "note://{kind}/{id}" } as const;
      const argument = { name: "id", value: "" };
      await (await client()).complete({ ref, argument, context: { arguments: { kind: "by" } } });
      return passesIf(seen.completed.includes("kind"));
    },
  },
];

const RESULTS: Omit<Feature, "group">[] = [
  {
    name: "Errors of tools and of the protocol",
    probe: async (pair) => {
      const client = await pair.client();
      const { isError } = await client.callTool("up__broken");
      const code = await client.getPrompt("up__none").then(
        () => 0,
        (error: { code: number }) => error.code,
      );
      return passesIf(isError && code === -32602);
    },
  },
  {
    name: "Structured content that is an object",
    probe: async (pair) => passesIf((await result(pair, "add", { a: 1, b: 2 }))["structuredContent"] !== undefined),
  },
  {
    name: "Structured content of other kinds",
    probe: async (pair) => passesIf((await result(pair, "numbers"))["structuredContent"] !== undefined),
  },
  { name: "Links to resources", probe: block("link", "resource_link") },
  { name: "Audio", probe: block("sound", "audio") },
  {
    name: "`_meta` and unknown members",
    probe: async (pair) => {
      const got: Record<string, unknown> = await (
        await pair.client()
      ).request("tools/call", { name: "up__extra", arguments: {} });
      return passesIf(
        got["x-unknown"] === 7 && (got["_meta"] as Record<string, unknown> | undefined)?.["example.com/cost"] === 3,
      );
    },
  },
];

const DURING: Omit<Feature, "group">[] = [
  {
    name: "Progress",
    probe: async ({ client }) => {
      const steps: number[] = [];
      await (await client()).callTool("up__steps", {}, { onProgress: ({ progress }) => steps.push(progress) });
      return passesIf(steps.join() === "1");
    },
  },
  {
    name: "Words of progress",
    probe: async ({ client }) => {
      const words: (string | undefined)[] = [];
      await (await client()).callTool("up__steps", {}, { onProgress: ({ message }) => words.push(message) });
      return passesIf(words.join() === "Half");
    },
  },
  {
    name: "Log messages of a call",
    probe: async ({ client }) => {
      const logged: unknown[] = [];
      await (await client({ logLevel: "info", onLog: ({ data }) => void logged.push(data) })).callTool("up__steps");
      await vi.waitFor(() => expect(logged).toEqual(["half way"]), PATIENT);
      return "passes";
    },
  },
  {
    name: "Cancellation",
    probe: async ({ client, seen }) => {
      const one = await client();
      const abort = new AbortController();
      const call = one.callTool("up__wait", {}, { signal: abort.signal });
      call.catch(() => undefined);
      await one.callTool("up__broken");
      abort.abort();
      await call.catch(() => undefined);
      await vi.waitFor(() => expect(seen.cancelled).toBe(1), PATIENT);
      return "passes";
    },
  },
  {
    name: "Changed lists",
    probe: async ({ client, server }) => {
      const one = await client();
      await one.listTools();
      const changes = await one.listen({ tools: true });
      server.tool("late", {}, () => "here");
      const { value } = await changes.next();
      return passesIf((value as { kind: string }).kind === "tools");
    },
  },
  {
    name: "Changed resources",
    probe: async ({ client, server }) => {
      const changes = await (await client()).listen({ resources: ["note://today"] });
      server.resourceUpdated("note://today");
      const { value } = await changes.next();
      return passesIf((value as { uri: string }).uri === "note://today");
    },
  },
];

const QUESTIONS: Omit<Feature, "group">[] = [
  { name: "Forms, one after the other", probe: question("form", "ONE TWO") },
  { name: "Forms, at the same time", probe: question("together", "ONE TWO") },
  { name: "Pages", probe: question("page", "accept") },
  {
    name: "Pages before the call (-32042)",
    probe: async ({ client }) => {
      const asked: string[] = [];
      const one = await client({
        ...able,
        onElicit: (params) => {
          asked.push("url" in params ? params.url : "");
          return { action: "cancel" };
        },
      });
      const said = await one.callTool("up__page_first").then(
        ({ text }) => text,
        (error: { code: number }) => String(error.code),
      );
      if (said === "not declared") return said;
      return passesIf(said === "-32042" || asked.includes("https://example.com/sign"));
    },
  },
  { name: "Sampling", probe: question("sample", '{"type":"text","text":"4"}') },
  { name: "Roots", probe: question("roots", "file:///work") },
];

/** What becomes of the tasks of a tool, for a client that has tasks. */
function task(tool: string, answer: string): Feature["probe"] {
  return async ({ client }) => {
    const one = await client({ ...able, extensions: [tasks({ pollInterval: 10 })] });
    const text = await one.callTool(`up__${tool}`).then(
      (result) => result.text,
      (error: { code: number }) => String(error.code),
    );
    if (text === `task: ${answer}`) return "passes";
    if (text === `call: ${answer}`) return "waited for";
    if (["-32600", "-32601", "-32021"].includes(text)) return "refused";
    throw new Error(`The tool "${tool}" returned ${JSON.stringify(text)}`);
  };
}

const EXTENSIONS: Omit<Feature, "group">[] = [
  { name: "Tools that can be tasks", probe: task("report", "the report") },
  { name: "Tools that are tasks only", probe: task("long_report", "the report") },
  {
    name: "Cancelling a task",
    probe: async ({ client, seen }) => {
      const one = await client({ extensions: [tasks({ pollInterval: 10 })] });
      const abort = new AbortController();
      const call = one.callTool("up__endless", {}, { signal: abort.signal, onTask: () => abort.abort() });
      call.catch(() => undefined);
      await vi.waitFor(() => expect(seen.begun.length).toBe(1), PATIENT);
      if (seen.begun[0] === "call") abort.abort();
      await call.catch(() => undefined);
      await vi.waitFor(() => expect(seen.cancelled).toBe(1), PATIENT);
      return seen.begun[0] === "task" ? "passes" : "waited for";
    },
  },
  {
    name: "States of a task that the server announces",
    probe: async ({ front, client }) => {
      const told: Record<string, unknown>[] = [];
      const one = await client({ extensions: [rawTasks], onMessage: ({ params }) => void told.push(params) });
      const isStateless = front === "2026-07-28";
      const params = { name: "up__report", arguments: {}, ...(!isStateless && { task: {} }) };
      // A revision without tasks takes no `task`, and a server without them refuses it.
      const result = (await one.request("tools/call", params).catch(() => ({}))) as {
        taskId?: string;
        task?: { taskId: string };
      };
      const taskId = result.taskId ?? result.task?.taskId;
      if (taskId === undefined) return "waited for";
      const abort = new AbortController();
      const filter = { notifications: { taskIds: [taskId] } };
      if (isStateless)
        one.request("subscriptions/listen", filter, { signal: abort.signal, timeout: Infinity }).catch(() => undefined);
      await vi.waitFor(() => expect(told).toContainEqual(expect.objectContaining({ taskId, status: "completed" })), PATIENT);
      abort.abort();
      return "passes";
    },
  },
  {
    name: "Extensions that the gateway does not know",
    probe: async ({ client }) => {
      const said = await (await client({ extensions: [greeting] })).request("greeting/say", {}).catch(() => ({ text: "" }));
      return (said as { text: string }).text === "Hello" ? "passes" : "refused";
    },
  },
];

const grouped = (group: string, features: Omit<Feature, "group">[]): Feature[] =>
  features.map((feature) => ({ group, ...feature }));

export const FEATURES: readonly Feature[] = [
  ...grouped("Lists and completion", LISTS),
  ...grouped("Results", RESULTS),
  ...grouped("While a call runs, and changes", DURING),
  ...grouped("Questions in the middle of a call", QUESTIONS),
  ...grouped("Tasks and extensions", EXTENSIONS),
];
