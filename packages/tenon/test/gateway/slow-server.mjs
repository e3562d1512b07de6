// A server on stdio that answers after as many milliseconds as its argument says, and declares resources that it cannot list.
import { createInterface } from "node:readline";

const [delay = "0"] = process.argv.slice(2);
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "slow", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "late", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "here" }] }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method]?.(params ?? {});
  const reply = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
  setTimeout(
    () => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`),
    method === "initialize" ? Number(delay) : 0,
  );
}
