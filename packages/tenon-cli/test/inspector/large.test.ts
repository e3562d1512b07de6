// The lists of the page. A large server and a flood of messages: it keeps few elements, loses nothing, and stays usable.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { browserOf, inspect, PageFiles, show } from "./support.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";

vi.setConfig({ testTimeout: 240_000 });

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

const FLOOD = 100_000;

test("1,000 tools and a flood of messages are drawn as a few rows, and searched", async (context) => {
  const server = testServer({ name: "large" });
  for (let at = 0; at < 1_000; at++) server.tool(`tool-${at}`, { description: `Does thing ${at}` }, () => String(at));
  server.tool("flood", {}, async (_input, ctx) => {
    for (let at = 0; at < FLOOD; at++) await ctx.log.info({ at }, "flood");
    return "all sent";
  });
  const target = { name: "large", typed: "large.ts", server, options: { revision: "2025-11-25" as const } };
  const { page, complaints } = await show(browser, context, await inspect(files.folder, [target]));
  await page.getByText("1001 of 1001").waitFor();
  expect(await page.getByRole("option").count()).toBeLessThan(80);
  await page.getByLabel("Filter tools").fill("thing 999");
  await page.getByRole("option", { name: /^tool-999/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("tabpanel").getByText("999").waitFor();
  await page.getByLabel("Filter tools").fill("flood");
  await page.getByRole("option", { name: /^flood/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("tabpanel").getByText("all sent").waitFor({ timeout: 120_000 });
  await page.getByRole("link", { name: /^Wire/ }).click();
  await page.getByLabel("Filter messages").fill("method:notifications/message");
  await page.getByText(`${FLOOD} messages`).waitFor({ timeout: 120_000 });
  expect(await page.getByRole("option").count()).toBeLessThan(80);
  expect(await page.locator("*").count()).toBeLessThan(1_500);
  // One step of a list draws the rows that come into sight, and no others.
  const added = await page.getByRole("listbox", { name: "Messages" }).evaluate(async (list) => {
    const added: Node[] = [];
    const observer = new MutationObserver((changes) => added.push(...changes.flatMap(({ addedNodes }) => [...addedNodes])));
    observer.observe(list, { childList: true, subtree: true });
    list.scrollTop = list.scrollHeight / 2;
    while (added.length === 0) await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return added.length;
  });
  expect(added).toBeLessThan(80);
  await page.getByLabel("Filter messages").fill(`"at":${FLOOD - 1}`);
  await page.getByText("1 message", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test.for([1280, 400])("at %i pixels the first tool stands beside the list if there is room for both", async (width, context) => {
  const server = testServer({ name: "sums" });
  server.tool("add", { description: "Adds" }, () => "");
  const inspector = await inspect(files.folder, [{ name: "sums", typed: "sums", server }]);
  const { page } = await show(browser, context, inspector, { width });
  await page.getByRole("option", { name: /^add/ }).waitFor();
  expect(await page.getByRole("heading", { name: "add" }).isVisible()).toBe(width === 1280);
});
