// A stdio server with two tools, whose schemas are made with one library: node server.mjs zod | zod/mini | valibot | json
// `none` is a program that loads nothing. Whoever reads its third stream gets the CPU time and the age of the process in milliseconds, written
// with its response to `tools/list`.
import { writeSync } from "node:fs";

const [library] = process.argv.slice(2);

/** Numbers and texts as arguments, in each library as its documentation writes them. */
const SCHEMAS = {
  zod: (z) => ({ numbers: z.object({ a: z.number(), b: z.number() }), texts: z.object({ text: z.string() }) }),
  valibot: (v) => ({ numbers: v.object({ a: v.number(), b: v.number() }), texts: v.object({ text: v.string() }) }),
  json: () => ({
    numbers: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
    texts: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  }),
};

function say() {
  const { user, system } = process.cpuUsage();
  writeSync(3, JSON.stringify({ cpu: (user + system) / 1000, age: performance.now() }));
}

async function schemas(withJsonSchema) {
  if (library === "json") return SCHEMAS.json();
  const { numbers, texts } = SCHEMAS[library === "valibot" ? library : "zod"](await import(library));
  if (library === "zod") return { numbers, texts };
  // The others cannot say by themselves what their JSON Schema is.
  const json = SCHEMAS.json();
  return { numbers: withJsonSchema(numbers, json.numbers), texts: withJsonSchema(texts, json.texts) };
}

if (library === "none") say();
else {
  const { McpServer, withJsonSchema } = await import("tenon/server");
  const { serveStdio } = await import("tenon/node");
  const { numbers, texts } = await schemas(withJsonSchema);
  const server = new McpServer({ name: "start", version: "1.0.0" });
  server.tool("add", { description: "Add two numbers", input: numbers }, ({ a, b }) => String(a + b));
  server.tool("echo", { description: "Return a text", input: texts }, ({ text }) => text);
  server.use((next) => (ctx) => {
    if (ctx.method === "tools/list") setImmediate(say);
    return next(ctx);
  });
  await serveStdio(server);
}
