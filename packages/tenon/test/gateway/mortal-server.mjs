// A server on stdio whose tool "die" ends the process in the middle of the call.
import { createInterface } from "node:readline";

const tool = (name) => ({ name, inputSchema: { type: "object" } });
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "mortal", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [tool("die"), tool("pid")] }),
  "tools/call": ({ name }) => (name === "die" ? process.exit(1) : { content: [{ type: "text", text: String(process.pid) }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const make = results[method];
  const response = make ? { result: make(params) } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...response })}\n`);
}
