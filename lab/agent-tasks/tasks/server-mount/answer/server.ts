import { without } from "tenon/compose";
import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import { server as git } from "./git.ts";
import { server as mail } from "./mail.ts";

const server = new McpServer({ name: "office", version: "1.0.0" });
server.mount("git", git);
server.mount("mail", without(mail, { names: ["erase"] }));

await serveStdio(server);
