import { appendFile } from "node:fs/promises";
import { tasks } from "tenon/ext/tasks";
import { serveStdio } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const file = process.env["PARTS"] ?? "parts";
const schema = z.object({ format: z.enum(["pdf", "html"]) });
const server = new McpServer({ name: "reports", version: "1.0.0" }, { extensions: [tasks()] });

server.tool("report", { input: z.object({ year: z.int() }), task: true }, async ({ year }, ctx) => {
  const part = async (number: number): Promise<void> => {
    await ctx.step(`part ${number}`, () => appendFile(file, `part ${number}\n`));
    await ctx.progress(number, 3);
  };
  await part(1);
  const { content } = await ctx.elicit("format", { message: "Which format?", schema });
  if (content === undefined) return ctx.fail("There is no report without a format.");
  await part(2);
  await part(3);
  return `report ${year} as ${content.format}`;
});

await serveStdio(server);
