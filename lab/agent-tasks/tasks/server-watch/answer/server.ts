import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";

const uri = "temp://kitchen";
let temperature = 20;
const server = new McpServer({ name: "heating", version: "1.0.0" });
server.resource(uri, { mimeType: "text/plain" }, () => String(temperature));
server.tool("heat", { description: "One degree more" }, () => {
  temperature += 1;
  server.resourceUpdated(uri);
  return `It is ${temperature} degrees.`;
});

await serveStdio(server);
