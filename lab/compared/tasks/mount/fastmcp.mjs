import { FastMCP } from "fastmcp";

const server = new FastMCP({ name: "hello", version: "1.0.0" });
server.addTool({ name: "hello", execute: async () => "Hello!" });

const app = server.getApp(); // its own application, of Hono
app.get("/version", (c) => c.json({ version: "1.0.0" }));
const httpStream = { port: Number(process.env.PORT) };
await server.start({ transportType: "httpStream", httpStream });
