// How long one argument of 50 MB keeps a server from small calls (docs/serving/workers.md).
//   node lab/workers/long-argument.mjs [megabytes] [rounds] [text|zod|json]     after `npm run build`
// `text` is one string; `zod` and `json` are 24,000 records, which a schema of zod or a JSON Schema checks.
// A server runs in a process of its own, small calls follow one another, and a long argument comes again and again. Prints the longest turn of the server in
// CPU milliseconds, which other programs on the machine hardly change, and the times of the small calls beside it and alone, which they do.
import { fork } from "node:child_process";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";

const [megabytes, rounds, kind] = [Number(process.argv[2] ?? 50), Number(process.argv[3] ?? 10), process.argv[4] ?? "text"];
const RECORDS = 24_000;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const p99 = (values) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1];

if (process.send !== undefined) await serve();
else await drive();

async function serve() {
  const { McpServer } = await import("tenon/server");
  const { z } = await import("zod");
  const { serveHttp } = await import("tenon/node");
  const server = new McpServer({ name: "long-argument", version: "1.0.0" });
  const record = z.object({ id: z.int(), name: z.string().max(20), text: z.string() });
  const input = z.object({ text: kind === "text" ? z.string() : z.union([z.string(), z.array(record)]) });
  const schema = kind === "json" ? z.toJSONSchema(input) : input;
  server.tool("length", { input: schema }, ({ text }) => String(text.length));
  const { url } = await serveHttp(server, {
    port: 0,
    limits: { maxBodyBytes: 2 ** 27 },
    timeouts: { keepAlive: 600_000, request: 600_000 },
  });
  let longest = 0;
  let before = process.cpuUsage();
  const turn = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
    setImmediate(turn);
  };
  turn();
  process.on("message", () => {
    process.send({ longest });
    longest = 0;
  });
  process.send({ url });
}

async function drive() {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
  const ask = (message) => new Promise((resolve) => (child.once("message", resolve), message && child.send(message)));
  const { url } = await ask();
  const agent = new Agent({ keepAlive: true });
  const call = (text) =>
    new Promise((resolve, reject) => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
      };
      Object.assign(headers, { "mcp-method": "tools/call", "mcp-name": "length" });
      const meta = { protocolVersion: "2026-07-28", clientInfo: { name: "figures", version: "1.0.0" }, clientCapabilities: {} };
      const _meta = Object.fromEntries(Object.entries(meta).map(([name, value]) => [`io.modelcontextprotocol/${name}`, value]));
      const started = performance.now();
      const sent = request(url, { method: "POST", agent, headers }, (response) => {
        const parts = [];
        response.on("data", (part) => parts.push(part));
        response.on("end", () => {
          if (!Buffer.concat(parts).includes(`"${text.length}"`))
            return reject(new Error(Buffer.concat(parts).toString().slice(0, 300)));
          resolve(performance.now() - started);
        });
      });
      sent.on("error", reject);
      sent.end(
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "length", arguments: { text }, _meta } }),
      );
    });
  const size = kind === "text" ? megabytes * 1e6 : (megabytes * 1e6) / RECORDS - 40;
  const text = "0123456789 abcdef\n".repeat(size / 18);
  const long = kind === "text" ? text : Array.from({ length: RECORDS }, (_, id) => ({ id, name: `n${id}`, text }));
  for (let i = 0; i < 500; i++) await call("small");
  await call(long);
  const [turns, alone, beside] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 100; i++) alone.push(await call("small"));
    await ask({});
    const state = { isDone: false };
    const done = call(long).finally(() => (state.isDone = true));
    while (!state.isDone) beside.push(await call("small"));
    await done;
    turns.push((await ask({})).longest);
  }
  console.log(`longest turn: median ${median(turns).toFixed(1)}, most ${Math.max(...turns).toFixed(1)} ms of CPU`);
  for (const [name, times] of Object.entries({ alone, beside }))
    console.log(
      `small calls ${name}: median ${median(times).toFixed(1)}, p99 ${p99(times).toFixed(1)} ms (${times.length} calls)`,
    );
  child.kill();
}
