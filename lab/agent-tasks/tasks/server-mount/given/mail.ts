import { McpServer } from "tenon/server";

export const server = new McpServer({ name: "mail", version: "1.0.0" });
server.tool("send", {}, () => "sent");
server.tool("erase", {}, () => "erased");
