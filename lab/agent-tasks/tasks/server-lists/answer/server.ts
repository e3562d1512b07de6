import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";

const server = new McpServer({ name: "door", version: "1.0.0" });
let locked = true;
server.tool("unlock", { description: "Unlocks the door" }, () => {
  if (locked) server.tool("open_door", { description: "Opens the door" }, () => "open");
  locked = false;
  return "unlocked";
});

await serveStdio(server);
