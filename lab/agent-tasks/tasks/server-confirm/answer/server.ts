import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const room = process.env["ROOM"] ?? "room";
const server = new McpServer({ name: "room", version: "1.0.0" });
const annotations = { destructiveHint: true };

server.tool("erase", { annotations, input: z.object({ file: z.string() }) }, async ({ file }, ctx) => {
  if (file !== basename(file) || file === "..") return ctx.fail("Give the name of a file, without a folder.");
  if (!(await ctx.confirm("erase", `Delete ${file}?`))) return ctx.fail(`${file} stays.`);
  await ctx.step("erase", () => rm(join(room, file)));
  return `${file} is deleted.`;
});

await serveStdio(server);
