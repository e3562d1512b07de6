// A server on stdio that declares its lists without `listChanged`. Its tool "grow" adds a tool and a resource. With the argument
// "notify" it announces that, although it never promised to.
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tools = [{ name: "grow", inputSchema: { type: "object" } }];
const resources = [];
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "undeclared", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "resources/list": () => ({ resources }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: "a picture" }] }),
  "tools/call": ({ name }) => {
    if (name === "grow") {
      tools.push({ name: "grown", inputSchema: { type: "object" } });
      resources.push({ uri: "shot://1", name: "shot" });
    }
    return { content: [{ type: "text", text: name }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = results[method]?.(params ?? {});
  say(result === undefined ? { id, error: { code: -32601, message: "Method not found" } } : { id, result });
  if (method === "tools/call" && params.name === "grow" && process.argv[2] === "notify")
    for (const list of ["tools", "resources"]) say({ method: `notifications/${list}/list_changed` });
}
