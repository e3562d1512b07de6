// A server on stdio that keeps sessions (2025-11-25), and asks its client in the middle of a call.
import { createInterface } from "node:readline";

const question = {
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};
const tool = (name) => ({ name, inputSchema: { type: "object" } });
const text = (said) => ({ content: [{ type: "text", text: said }] });
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
/** What happens with the answer to each question. */
const waiting = new Map();
let asked = 0;

/** `ask` tells who was asked, and which process did it. */
function ask() {
  return new Promise((resolve) => {
    const id = `question ${++asked}`;
    waiting.set(id, ({ content }) => resolve(text(`${content?.name} at ${process.pid}`)));
    send({ id, method: "elicitation/create", params: question });
  });
}

const results = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "asking", version: process.env.VERSION ?? "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools: [tool("ask"), tool("pid")] }),
  "tools/call": ({ name }) => (name === "ask" ? ask() : text(String(process.pid))),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result ?? {});
  else if (id !== undefined) {
    const make = results[method];
    if (make === undefined) send({ id, error: { code: -32601, message: "Method not found" } });
    else void Promise.resolve(make(params)).then((made) => send({ id, result: made }));
  }
}
