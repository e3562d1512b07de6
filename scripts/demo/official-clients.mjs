// The second half: the clients of the official SDK, both generations, drive a server made with Tenon, in every revision
// they speak. The server is `examples/everything.ts`, started by the `tenon` command.
import { deepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { completes, equals, hasBlocks, lists, prompts, reads, refused, returns, says, textOf, toolFails, withError } from "./checks.mjs";
import { root, tenon, titleOf } from "./packages.mjs";

const SERVER = {
  command: process.execPath,
  args: [join(root, "packages/tenon-cli/dist/main.js"), "run", join(root, "examples/everything.ts")],
  stderr: "ignore",
};
const INFO = { name: "demo", version: "1.0.0" };
const CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };

/** What the client answers when the server asks. */
const ANSWERS = {
  "sampling/createMessage": ({ params }) => ({
    role: "assistant",
    model: "demo-model",
    content: { type: "text", text: `${params.messages[0].content.text} indeed` },
  }),
  "elicitation/create": ({ params }) => (params.mode === "url" ? { action: "accept" } : { action: "accept", content: { name: "Ada" } }),
  "roots/list": () => ({ roots: [{ uri: "file:///work", name: "work" }] }),
};

export const STATEFUL = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/** The first generation has no option for it: the version is put into its first message. */
export async function clientV1(revision, notices) {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  for (const [schema, method] of [
    [CreateMessageRequestSchema, "sampling/createMessage"],
    [ElicitRequestSchema, "elicitation/create"],
    [ListRootsRequestSchema, "roots/list"],
  ]) {
    client.setRequestHandler(schema, ANSWERS[method]);
  }
  for (const schema of [LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema])
    client.setNotificationHandler(schema, (notice) => notices.add(notice));
  const transport = new StdioV1(SERVER);
  let negotiated;
  transport.setProtocolVersion = (version) => (negotiated = version);
  const send = transport.send.bind(transport);
  transport.send = (message) =>
    send(message.method === "initialize" ? { ...message, params: { ...message.params, protocolVersion: revision } } : message);
  await client.connect(transport);
  handOverSingly(transport);
  return { client, negotiated, subscribe: (uri) => client.subscribeResource({ uri }) };
}

export async function clientV2(revision, notices) {
  const stateless = !STATEFUL.includes(revision);
  const version = stateless ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] };
  const client = new ClientV2(INFO, { capabilities: CAPABILITIES, ...version });
  for (const [method, answer] of Object.entries(ANSWERS)) client.setRequestHandler(method, answer);
  for (const method of ["notifications/message", "notifications/resources/updated"])
    client.setNotificationHandler(method, (notice) => notices.add(notice));
  const transport = new StdioV2(SERVER);
  await client.connect(transport);
  handOverSingly(transport);
  const subscribe = (uri) => (stateless ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri }));
  return { client, negotiated: client.getNegotiatedProtocolVersion(), subscribe };
}

/**
 * Hands each message to the client in a turn of its own. These clients lose progress that they read together with the response,
 * and on a busy machine they read together what the server wrote long before.
 */
function handOverSingly(transport) {
  const take = transport.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
  transport.onmessage = (...message) => void setImmediate(() => take(...message));
}

/** Notifications as they come, and a wait for the first of a kind. */
class Notices {
  #seen = [];
  #waiting;

  add(notice) {
    this.#seen.push(notice);
    this.#waiting?.();
  }

  async first(method) {
    for (;;) {
      const found = this.#seen.find((notice) => notice.method === method);
      if (found) return found;
      await new Promise((resolve) => (this.#waiting = resolve));
    }
  }
}

export async function drive(recorder, name, open, revision) {
  const pair = { client: titleOf(name), server: `examples/everything.ts (${tenon})`, revision };
  const row = (what, call, check) => recorder.row(pair, what, call, check);
  const notices = new Notices();
  let connection;
  const connected = await row(
    "connect",
    async () => (connection = await open(revision, notices)),
    ({ client, negotiated }) => {
      deepEqual(negotiated, revision);
      return `${client.getServerVersion().name} ${client.getServerVersion().version}`;
    },
  );
  if (!connected) return;
  try {
    await tools(connection.client, row, revision);
    await questions(connection.client, row, revision);
    await resources(connection, row, notices);
    await others(connection.client, row, notices, revision);
  } finally {
    await connection.client.close();
  }
}

const TOOLS = [
  "echo",
  "weather",
  "content",
  "fail",
  "crash",
  "countdown",
  "chatter",
  "introduce",
  "visit",
  "ask-model",
  "roots",
  "write-note",
];

async function tools(client, row, revision) {
  const call = (name, args, check, options) =>
    row(`tools/call ${name}`, () => client.callTool({ name, arguments: args }, ...options), check);
  await row("tools/list", async () => (await client.listTools()).tools, lists("name", TOOLS));
  // The first generation takes a schema for the result before the options.
  const onProgress = [];
  const v1 = client instanceof ClientV1;
  const none = [];
  await call("echo", { message: "hi" }, says("hi"), none);
  // Structured content came with 2025-06-18; before, its text says the same.
  const weather = { city: "Rome", celsius: 14, wet: false };
  await call("weather", { city: "Rome" }, revision < "2025-06-18" ? says(JSON.stringify(weather)) : returns(weather), none);
  await call("content", {}, hasBlocks("text", "image", ...blocksOf(revision)), none);
  const options = { onprogress: ({ progress, total }) => void onProgress.push(`${progress}/${total}`) };
  await call(
    "countdown",
    { steps: 3 },
    (result) => {
      deepEqual(onProgress, ["1/3", "2/3", "3/3"]);
      return `progress ${onProgress.join(" ")}, then ${says("Lift-off")(result)}`;
    },
    v1 ? [undefined, options] : [options],
  );
  await call("fail", {}, toolFails(/out of paper/), none);
  await call(
    "crash",
    {},
    (result) => {
      ok(!textOf(result).includes("secret"), "the error's own text got out");
      return toolFails(/^Tool "crash" failed/)(result);
    },
    none,
  );
  await row(
    "tools/call (unknown)",
    refused(() => client.callTool({ name: "nope" })),
    withError(-32602, /Unknown tool: nope/),
  );
}

/** What the other kinds of content are in a revision. */
function blocksOf(revision) {
  if (revision === "2024-11-05") return ["text", "resource", "text"];
  return ["audio", "resource", revision === "2025-03-26" ? "text" : "resource_link"];
}

/** What the server asks the client, where the revision has it. */
async function questions(client, row, revision) {
  const ask = async (name, args, since, check) => {
    const call = () => client.callTool({ name, arguments: args });
    if (revision >= since) await row(`tools/call ${name}`, call, check);
    else await row(`tools/call ${name} (not in this revision)`, refused(call), refusalOf(name, revision));
  };
  await ask("ask-model", { question: "Is it raining?" }, "2024-11-05", says("demo-model says: Is it raining? indeed"));
  await ask("roots", {}, "2024-11-05", says("work: file:///work"));
  await ask("introduce", {}, "2025-06-18", says("Hello, Ada"));
  await ask("visit", {}, "2025-11-25", says("The user answered: accept"));
}

/** 2025-06-18 has forms but no pages; before it there was neither. */
function refusalOf(name, revision) {
  const formsOnly = name === "visit" && revision === "2025-06-18";
  return formsOnly ? withError(-32602, /cannot be sent to a URL/) : withError(-32600, /revision .* does not have it/);
}

async function resources({ client, subscribe }, row, notices) {
  await row("resources/list", async () => (await client.listResources()).resources, lists("uri", ["notes://today", "pixel://red"]));
  await row(
    "resources/templates/list",
    async () => (await client.listResourceTemplates()).resourceTemplates,
    lists("uriTemplate", ["capital://{country}"]),
  );
  await row("resources/read notes://today", () => client.readResource({ uri: "notes://today" }), reads("Buy milk."));
  await row(
    "resources/read pixel://red",
    () => client.readResource({ uri: "pixel://red" }),
    ({ contents }) => equals("iVBORw0KGgo")(contents[0].blob.slice(0, 11)),
  );
  await row("resources/read capital://Fiji", () => client.readResource({ uri: "capital://Fiji" }), reads("Suva"));
  await row(
    "resources/read (unknown)",
    refused(() => client.readResource({ uri: "capital://Atlantis" })),
    ({ message }) => {
      ok(/not found/i.test(message), message);
      return message;
    },
  );
  await row(
    "subscribe, then notifications/resources/updated",
    async () => {
      await subscribe("notes://today");
      await client.callTool({ name: "write-note", arguments: { note: "Buy bread." } });
      return notices.first("notifications/resources/updated");
    },
    ({ params }) => equals("notes://today")(params.uri),
  );
}

async function others(client, row, notices, revision) {
  await row("prompts/list", async () => (await client.listPrompts()).prompts, lists("name", ["greet", "travel"]));
  await row("prompts/get greet", () => client.getPrompt({ name: "greet" }), prompts(["user", "Greet me."]));
  await row(
    "prompts/get travel",
    () => client.getPrompt({ name: "travel", arguments: { country: "Fiji" } }),
    prompts(["user", "Plan a short journey to Fiji."], ["assistant", "When?"]),
  );
  await row(
    "completion/complete (prompt)",
    () => client.complete({ ref: { type: "ref/prompt", name: "travel" }, argument: { name: "country", value: "fi" } }),
    completes(["Finland", "Fiji"]),
  );
  await row(
    "completion/complete (template)",
    () => client.complete({ ref: { type: "ref/resource", uri: "capital://{country}" }, argument: { name: "country", value: "g" } }),
    completes(["Germany"]),
  );
  if (!STATEFUL.includes(revision)) return;
  await row(
    "logging/setLevel, notifications/message",
    async () => {
      await client.setLoggingLevel("error");
      await client.callTool({ name: "chatter" });
      return notices.first("notifications/message");
    },
    ({ params }) => equals({ level: "error", logger: "chatter", data: "a failure" })(params),
  );
  await row("ping", () => client.ping(), equals({}));
}
