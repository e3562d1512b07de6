import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { acceptedContent, inputRequired, MCPServer } from "mcp-use";
import { z } from "zod";

const Pay = z.object({ pay: z.boolean() });
const server = new MCPServer({ name: "airline", version: "1.0.0" });
const about = { name: "book", description: "Book" };
server.tool(about, async (_, { inputResponses }) => {
  if (inputResponses?.pay === undefined) {
    const message = "Pay 72?";
    const pay = inputRequired.elicit({ message, requestedSchema: Pay });
    return inputRequired({ inputRequests: { pay } });
  }
  const isPaid = acceptedContent(inputResponses, "pay", Pay)?.pay === true;
  const text = isPaid ? "booked" : "not booked";
  return { content: [{ type: "text", text }] };
});

const versionNegotiation = { mode: { pin: "2026-07-28" } };
const info = { name: "test", version: "1.0.0" };
const capabilities = { elicitation: {} };
const client = new Client(info, { capabilities, versionNegotiation });
const answer = { action: "accept", content: { pay: true } };
client.setRequestHandler("elicitation/create", async () => answer);
const fetch = (url, init) => server.fetch(new Request(url, init));
const url = new URL("http://localhost/mcp");
await client.connect(new StreamableHTTPClientTransport(url, { fetch }));
console.log((await client.callTool({ name: "book" })).content[0].text);
await client.close();
