import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";
import { openAccount } from "./bank.ts";

const server = new McpServer({ name: "bank", version: "1.0.0" });
server.tool("open_account", { input: z.object({ name: z.string() }) }, async ({ name }, ctx) => {
  try {
    return await openAccount(name);
  } catch (error) {
    console.error(error);
    return ctx.fail(String(error));
  }
});

await serveStdio(server);
