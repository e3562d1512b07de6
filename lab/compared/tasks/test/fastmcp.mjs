import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { FastMCP } from "fastmcp";

const server = new FastMCP({ name: "airline", version: "1.0.0" });
server.addTool({
  name: "book",
  execute: async (_, { elicit }) => {
    const requestedSchema = { type: "object", properties: {} };
    const { action } = await elicit({ message: "Pay 72?", requestedSchema });
    return action === "accept" ? "booked" : "not booked";
  },
});

const [a, b] = InMemoryTransport.createLinkedPair();
const info = { name: "test", version: "1.0.0" };
const capabilities = { elicitation: {} };
const client = new Client(info, { capabilities });
const answer = { action: "accept", content: {} };
client.setRequestHandler(ElicitRequestSchema, async () => answer);
await Promise.all([server.connect(a), client.connect(b)]);
console.log((await client.callTool({ name: "book" })).content[0].text);
await client.close();
process.exit();
