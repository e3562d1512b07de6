// The page of `tenon inspect` as people use it: in a real browser, over servers of both families.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { McpServer } from "tenon";
import * as z from "zod";
import { browserOf, inspect, PageFiles, show } from "./support.ts";

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

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

function travel(): McpServer {
  const server = new McpServer({ name: "travel", version: "1.2.0" }, { instructions: "Book trips." });
  const output = z.object({ trips: z.array(z.object({ to: z.string(), price: z.number() })) });
  server.tool("book", { description: "Books a trip.", input: BOOKING, output }, ({ to }) => ({
    trips: [
      { to, price: 100 },
      { to, price: 90 },
    ],
  }));
  server.tool("add", { description: "Adds two numbers", input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b));
  server.tool("seat", { description: "Asks for a seat" }, async (_input, ctx) => {
    const { action, content } = await ctx.elicit("seat", { message: "Which seat?", schema: z.object({ seat: z.enum(["4A", "4B"]) }) });
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

describe.each(["2025-11-25", "2026-07-28"] as const)("a server of %s", (revision) => {
  const target = (server = travel()) => ({ name: "travel", typed: "travel.ts", server, options: { revision } });

  test("a tool is called with what was typed into its form, and its result is shown against its schema", async (context) => {
    const { page, complaints, elsewhere } = await show(browser, context, await inspect(files.folder, [target()]));
    await page.getByRole("option", { name: /^book/ }).click();
    await page.getByLabel(/^to/).fill("Lisbon");
    await page.getByLabel(/^name/).fill("Ada");
    await page.getByLabel("Kind of payment").selectOption({ label: "invoice" });
    await page.getByLabel(/^address/).fill("1 Main Street");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ It matches the output schema.").waitFor();
    await page.getByRole("tab", { name: "Table" }).click();
    expect(await page.getByRole("table").innerText()).toContain("Lisbon");
    const sent = await page.evaluate(() => document.title);
    expect(sent).toBe("Tenon inspector");
    expect(new URL(page.url()).hash).toBe("#/0/tools/book");
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  });
});
