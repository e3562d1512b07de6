/** The server of the tests of the page, and how an item of it is chosen. */
import type { Page } from "playwright-core";
import { McpServer } from "tenon";
import * as z from "zod";

const BOOKING = z.object({
  to: z.string().min(2).describe("A city"),
  travellers: z.array(z.object({ name: z.string(), age: z.int().optional() })).min(1),
  payment: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("card"), number: z.string() }),
    z.object({ kind: z.literal("invoice"), address: z.string() }),
  ]),
  meal: z.enum(["fish", "rice", "none"]).default("rice"),
  note: z.string().optional(),
});

/** A server with a tool of each kind, a resource, a template and a prompt. */
export function travel(): McpServer {
  const server = new McpServer({ name: "travel", version: "1.2.0" }, { instructions: "Book trips." });
  const output = z.object({ trips: z.array(z.object({ to: z.string(), price: z.number() })) });
  server.tool("book", { description: "Books a trip.", input: BOOKING, output }, ({ to }) => ({
    trips: [
      { to, price: 100 },
      { to, price: 90 },
    ],
  }));
  server.tool("add", { description: "Adds two numbers", input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
    String(a + b),
  );
  server.tool("seat", { description: "Asks for a seat" }, async (_input, ctx) => {
    const { action, content } = await ctx.elicit("seat", {
      message: "Which seat?",
      schema: z.object({ seat: z.enum(["4A", "4B"]) }),
    });
    return action === "accept" ? `seat ${content.seat}` : action;
  });
  server.tool("slow", {}, async (_input, ctx) => {
    await ctx.progress(1, 4, "packing");
    await new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("stopped"))));
    return "never";
  });
  server.tool("fails", {}, () => {
    throw new Error("No");
  });
  server.resource("notes://today", { name: "today", description: "Notes of today" }, () => "Buy **milk**");
  const days = (typed: string): string[] => ["monday", "tuesday"].filter((day) => day.startsWith(typed));
  server.resourceTemplate("notes://{day}", { name: "day", complete: { day: days } }, ({ day }) => `Notes of ${day}`);
  server.prompt("review", { input: z.object({ language: z.string() }) }, ({ language }) => `Review this ${language} code.`);
  return server;
}

/** Opens a view and an item of it. */
export async function choose(page: Page, view: string, item: string): Promise<void> {
  await page.getByRole("link", { name: new RegExp(`^${view}`) }).click();
  await page.getByRole("option", { name: new RegExp(`^${item}`) }).click();
}
