import { appendFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const file = process.env["COPIED"] ?? "copied";
const server = new McpServer({ name: "copies", version: "1.0.0" });
server.tool("copy", { input: z.object({ parts: z.int().min(0) }) }, async ({ parts }, ctx) => {
  for (let part = 1; part <= parts; part += 1) {
    await pause(50);
    await appendFile(file, `part ${part}\n`);
    if (!ctx.signal.aborted) await ctx.progress(part, parts);
  }
  return `copied ${parts}`;
});

await serveStdio(server);
