// A server with one of everything. Plain JavaScript that imports the package by name: tests import it, where the name
// means `src/`, and a child process runs it (`stdio-fixture.mjs`), where it means `dist/`.
import { McpServer, ResourceNotFoundError, ToolError, audio, file, image, resourceLink, text } from "tenon";

const sumInput = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};
const sumOutput = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
const icons = [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }];

function addTools(server) {
  server.tool(
    "add",
    {
      title: "Add",
      description: "Adds two numbers",
      input: sumInput,
      output: sumOutput,
      annotations: { title: "Adder", readOnlyHint: true },
      icons,
      _meta: { "example.com/kind": "sum" },
    },
    ({ a, b }) => ({ sum: a + b }),
  );
  server.tool("echo", { description: "Says the arguments again" }, (input) => JSON.stringify(input));
  server.tool("blocks", {}, () => [
    text("one", { annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" } }),
    image(new Uint8Array([1, 2, 3]), "image/png"),
    audio(new Uint8Array([4, 5]), "audio/wav"),
    file("file:///a.txt", "inside", "text/plain"),
    resourceLink({ uri: "file:///b.txt", name: "b", title: "B", icons }),
  ]);
  server.tool("fail", {}, () => {
    throw new ToolError("The disk is full");
  });
  server.tool("crash", {}, () => {
    throw new Error("password=hunter2");
  });
  server.tool("count", {}, async ({ to = 3 }, ctx) => {
    for (let step = 1; step <= to; step++) await ctx.progress(step / 2, to / 2, `step ${step}`);
    return "done";
  });
  server.tool("log", {}, async (_input, ctx) => {
    await ctx.log.debug({ detail: null }, "fixture");
    await ctx.log.warning("careful");
    return "logged";
  });
  server.tool("wait", {}, (_input, ctx) => {
    void ctx.log.info("waiting");
    return new Promise((_resolve, reject) => {
      ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason), { once: true });
    });
  });
}

function addResources(server) {
  server.resource(
    "memo://hello",
    { name: "hello", title: "Hello", description: "A greeting", mimeType: "text/plain", icons },
    () => "Hello",
  );
  server.resource(
    "memo://bytes",
    { name: "bytes", mimeType: "application/octet-stream", size: 3 },
    () => new Uint8Array([0, 255, 1]),
  );
  server.resource("memo://gone", { name: "gone" }, (uri) => {
    throw new ResourceNotFoundError(uri);
  });
  server.resourceTemplate(
    "notes://{year}/{name}",
    {
      name: "notes",
      title: "Notes",
      complete: { year: (value) => ["2024", "2025", "2026"].filter((year) => year.startsWith(value)) },
    },
    ({ year, name }) => `${name} of ${year}`,
  );
}

function addPrompts(server) {
  const input = {
    type: "object",
    properties: { name: { type: "string", title: "Name", description: "Who" }, tone: { type: "string" } },
    required: ["name"],
  };
  const names = Array.from({ length: 150 }, (_, index) => `name-${index}`);
  server.prompt(
    "greet",
    {
      title: "Greet",
      description: "Greets somebody",
      input,
      icons,
      complete: {
        name: (value) => names.filter((name) => name.startsWith(value)),
        tone: (_value, resolved) => [`for ${resolved.name ?? "nobody"}`],
      },
    },
    ({ name, tone = "friendly" }) => `Greet ${name}, ${tone}.`,
  );
  server.prompt("talk", {}, () => [
    { role: "user", content: { type: "text", text: "Hi" } },
    { role: "assistant", content: { type: "audio", data: "BAU=", mimeType: "audio/wav" } },
  ]);
}

export function createFixtureServer(options = {}) {
  const info = { name: "fixture", version: "1.2.3", title: "Fixture", websiteUrl: "https://example.com", icons };
  const server = new McpServer(info, { instructions: "Ask for sums.", onError: () => undefined, ...options });
  addTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}
