// What `tenon check` finds, on the page of `tenon inspect`, in a real browser.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { McpServer } from "tenon";
import { marksOf } from "../../src/check/marks.ts";
import { browserOf, inspect, PageFiles, show } from "./support.ts";

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

test("what tenon check finds stands on the page: all of it on the overview, and beside each tool its own", async (context) => {
  const server = new McpServer({ name: "tables", version: "1.0.0" });
  server.tool("book.table", { description: "Book" }, () => "");
  server.tool("cancel", {}, () => "");
  const inspector = await inspect(files.folder, [{ name: "tables", typed: "tables", server }], { marksOf });
  const { page } = await show(browser, context, inspector);
  await page.getByRole("link", { name: /^Overview/ }).click();
  const found = page.getByRole("list", { name: "Findings" });
  await found.getByText("book.table").waitFor();
  expect(await found.innerText()).toMatch(
    /error tool book\.table: its name has characters that APIs of models refuse[\s\S]*warning tool cancel: it has no description/,
  );
  await page.getByRole("link", { name: /^Tools/ }).click();
  await page.getByRole("option", { name: /^cancel/ }).click();
  expect(await found.innerText()).toBe("warning it has no description");
  await found.getByText("it has no description").click();
  await page.getByText("The model chooses by descriptions.").waitFor();
});
