// A server on stdio whose tool "stay" never ends and keeps the process alive, also after its input has ended.
import { createInterface } from "node:readline";

const tool = (name) => ({ name, inputSchema: { type: "object" } });
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "lasting", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool("pid"), tool("stay")] }),
  "tools/call": () => ({ content: [{ type: "text", text: String(process.pid) }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (params?.name === "stay") {
    setInterval(() => undefined, 60_000);
    continue;
  }
  const make = results[method];
  const response = make ? { result: make(params) } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...response })}\n`);
}
