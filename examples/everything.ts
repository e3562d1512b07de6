// A server that uses everything a server can offer: each kind of content, progress, logging, questions to the user, to
// the model and for the roots, resources, templates, prompts and completion. `npm run demo` has other SDKs drive it.
import { setTimeout as sleep } from "node:timers/promises";
import {
  audio,
  file,
  image,
  McpServer,
  resourceLink,
  text,
  ToolError,
} from "tenon/server";
import * as z from "zod";

export const server = new McpServer(
  { name: "everything", version: "1.0.0", title: "Everything" },
  { instructions: "Call any tool: none does harm." },
);

/** One red pixel, and 8 samples of silence. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const WAV =
  "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==";

// ---- tools: what they return ----

server.tool(
  "echo",
  {
    description: "Returns the message",
    input: z.object({ message: z.string() }),
  },
  ({ message }) => message,
);

server.tool(
  "weather",
  {
    title: "Weather",
    description: "Structured data, with a schema",
    input: z.object({ city: z.string().describe("Where") }),
    output: z.object({
      city: z.string(),
      celsius: z.number(),
      wet: z.boolean(),
    }),
    annotations: { readOnlyHint: true },
  },
  ({ city }) => ({ city, celsius: city.length + 10, wet: city === "London" }),
);

server.tool(
  "content",
  { description: "Every kind of content in one answer" },
  () => [
    text("A picture, a sound, a file and a link:", {
      annotations: { audience: ["user"], priority: 1 },
    }),
    image(PNG, "image/png"),
    audio(WAV, "audio/wav"),
    file("notes://today", "Buy milk.", "text/plain"),
    resourceLink({
      uri: "notes://today",
      name: "today",
      mimeType: "text/plain",
    }),
  ],
);

server.tool(
  "fail",
  { description: "Fails in a way the model can read" },
  () => {
    throw new ToolError(
      "The printer is out of paper. Ask the user to add some.",
    );
  },
);

server.tool(
  "crash",
  { description: "Fails in a way nobody outside may read" },
  () => {
    throw new Error("secret detail");
  },
);

// ---- tools: what they do while they run ----

server.tool(
  "countdown",
  {
    description: "Reports progress at each step",
    input: z.object({
      steps: z.int().min(1).max(100).default(3),
      ms: z.int().min(0).max(1000).default(30),
    }),
  },
  async ({ steps, ms }, ctx) => {
    for (let step = 1; step <= steps; step++) {
      await ctx.progress(step, steps, `${steps - step + 1} to go`);
      await sleep(ms, undefined, { signal: ctx.signal });
    }
    return "Lift-off";
  },
);

server.tool(
  "chatter",
  { description: "Logs at three levels" },
  async (_, ctx) => {
    await ctx.log.debug("a detail", "chatter");
    await ctx.log.info({ message: "an event", part: 1 }, "chatter");
    await ctx.log.error("a failure", "chatter");
    return "Logged";
  },
);

// ---- tools: what they ask the client ----

server.tool(
  "introduce",
  { description: "Asks the user for a name" },
  async (_, ctx) => {
    const answer = await ctx.elicit("who", {
      message: "Who are you?",
      schema: z.object({ name: z.string().meta({ title: "Name" }) }),
    });
    return answer.action === "accept"
      ? `Hello, ${answer.content.name}`
      : `The user chose to ${answer.action}`;
  },
);

server.tool(
  "visit",
  { description: "Asks the user to open a page" },
  async (_, ctx) => {
    const action = await ctx.elicitUrl("sign-in", {
      message: "Please sign in",
      url: "https://example.com/sign-in",
    });
    return `The user answered: ${action}`;
  },
);

server.tool(
  "ask-model",
  {
    description: "Lets the client's model answer",
    input: z.object({ question: z.string() }),
  },
  async ({ question }, ctx) => {
    const answer = await ctx.sample("answer", {
      messages: [{ role: "user", content: { type: "text", text: question } }],
      maxTokens: 100,
    });
    return answer.content.type === "text"
      ? `${answer.model} says: ${answer.content.text}`
      : `${answer.model} answered with ${answer.content.type}`;
  },
);

server.tool(
  "roots",
  { description: "Asks where it may work" },
  async (_, ctx) => {
    const roots = await ctx.roots();
    return roots
      .map(({ uri, name }) => `${name ?? "(no name)"}: ${uri}`)
      .join("\n");
  },
);

// ---- resources ----

let today = "Buy milk.";
server.resource(
  "notes://today",
  {
    name: "today",
    title: "Today",
    description: "A note that can change",
    mimeType: "text/plain",
  },
  () => today,
);
server.resource(
  "pixel://red",
  { name: "red pixel", description: "Bytes", mimeType: "image/png" },
  () => Uint8Array.from(atob(PNG), (char) => char.charCodeAt(0)),
);

server.tool(
  "write-note",
  {
    description: "Changes notes://today and tells who watches it",
    input: z.object({ note: z.string() }),
  },
  ({ note }) => {
    today = note;
    server.resourceUpdated("notes://today");
    return "Written";
  },
);

const CAPITALS: Record<string, string> = {
  France: "Paris",
  Finland: "Helsinki",
  Fiji: "Suva",
  Germany: "Berlin",
};
const countries = (typed: string): string[] =>
  Object.keys(CAPITALS).filter((name) =>
    name.toLowerCase().startsWith(typed.toLowerCase()),
  );
server.resourceTemplate(
  "capital://{country}",
  {
    name: "capital",
    description: "The capital of a country",
    mimeType: "text/plain",
    complete: { country: countries },
  },
  ({ country }) => CAPITALS[country],
);

// ---- prompts ----

server.prompt(
  "greet",
  { description: "A prompt without arguments" },
  () => "Greet me.",
);
server.prompt(
  "travel",
  {
    title: "Travel",
    description: "Plans a journey",
    input: z.object({ country: z.string(), style: z.string().optional() }),
    complete: { country: countries },
  },
  ({ country, style }) => [
    {
      role: "user",
      content: text(`Plan a ${style ?? "short"} journey to ${country}.`),
    },
    { role: "assistant", content: text("When?") },
  ],
);
