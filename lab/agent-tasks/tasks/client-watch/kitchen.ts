import { writeFileSync } from "node:fs";
import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";

writeFileSync(process.env["PID_FILE"] ?? "pid", String(process.pid));
let temperature = 20;
const server = new McpServer({ name: "kitchen", version: "1.0.0" });
server.resource("temp://kitchen", { mimeType: "text/plain" }, () => String(temperature));
server.tool("heat", {}, () => {
  temperature += 1;
  server.resourceUpdated("temp://kitchen");
  return "heated";
});

await serveStdio(server);
