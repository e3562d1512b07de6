import express from "express";
import { MCPServer } from "mcp-use";
import { toNodeHandler } from "mcp-use/node";

const server = new MCPServer({ name: "hello", version: "1.0.0" });
const content = [{ type: "text", text: "Hello!" }];
server.tool({ name: "hello", description: "Says hello" }, async () => ({
  content,
}));

const app = express();
app.get("/version", (_, response) => response.json({ version: "1.0.0" }));
app.all("/mcp", toNodeHandler(server));
app.listen(Number(process.env.PORT));
