import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";
import { NameTaken, openAccount } from "./bank.ts";

const server = new McpServer({ name: "bank", version: "1.0.0" });
server.tool("open_account", { input: z.object({ name: z.string() }) }, async ({ name }, ctx) => {
  try {
    return await openAccount(name);
  } catch (error) {
    if (error instanceof NameTaken) return ctx.fail(`The name ${name} is taken.`);
    throw error; // the client reads that it failed, stderr has the rest
  }
});

await serveStdio(server);
