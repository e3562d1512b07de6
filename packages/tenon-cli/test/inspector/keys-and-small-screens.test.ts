// The page of `tenon inspect` by keys, at once, and on a small screen.
import type { Browser, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserOf, inspect, PageFiles, show } from "./support.ts";
import { choose, travel } from "./travel.ts";

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

test("everything works by keys alone", async (context) => {
  const { page } = await show(
    browser,
    context,
    await inspect(files.folder, [{ name: "travel", typed: "travel.ts", server: travel() }]),
  );
  await page.getByRole("option", { name: /^add/ }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("adds two");
  await page.getByRole("option", { name: /^tools add/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "add" }).waitFor();
  await page.getByLabel(/^a/).focus();
  await page.keyboard.type("1");
  await page.keyboard.press("Tab");
  await page.keyboard.type("2");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("tabpanel").getByText("3").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("5");
  await page.getByLabel("Filter messages").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(new URL(page.url()).hash).toBe("#/0/wire");
  const focused = await page.evaluate(async () => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
    // The next key may come before the browser draws.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return document.activeElement?.getAttribute("role");
  });
  expect(focused).toBe("combobox");
});

test("an item that is chosen is there before the browser does anything else", async (context) => {
  const target = { name: "travel", typed: "travel.ts", server: travel() };
  const { page } = await show(browser, context, await inspect(files.folder, [target]));
  await page.getByRole("heading", { name: "book" }).waitFor();
  const headings = await page.getByRole("option", { name: /^seat/ }).evaluate(async (option) => {
    (option as HTMLElement).click();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    return [...document.querySelectorAll("h1, h2, h3")].map(({ textContent }) => textContent);
  });
  expect(headings).toContain("seat");
});

test("at 400 pixels every view is in the bar below, and the keys are listed with what they do", async (context) => {
  const target = { name: "travel", typed: "travel.ts", server: travel() };
  const { page } = await show(browser, context, await inspect(files.folder, [target]), { width: 400 });
  await page.getByRole("option", { name: /^add/ }).waitFor();
  const links = page.getByRole("navigation", { name: "Views" }).getByRole("link");
  const edges = await links.evaluateAll((all) =>
    all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => [left, right]),
  );
  expect(edges).toHaveLength(9);
  expect(edges.filter(([left, right]) => left! < 0 || right! > 400)).toEqual([]);
  expect(await links.evaluateAll((all) => all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length)).toBe(
    0,
  );
  await page.getByRole("button", { name: "Keys" }).click();
  const terms = page.getByRole("dialog", { name: "Keys" }).getByRole("term");
  await terms.first().waitFor();
  const shown = await terms.allInnerTexts();
  expect(shown.slice(0, 3)).toEqual(["1 … 9", "/ or Ctrl K", "f"]);
});

test("at 400 pixels a message shows its direction, method, time and latency; an activity its time and text", async (context) => {
  const target = { name: "travel", typed: "travel.ts", server: travel() };
  const inspector = await inspect(files.folder, [target]);
  const { page } = await show(browser, context, inspector, { width: 400 });
  await choose(page, "Tools", "fails");
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("link", { name: /^Wire/ }).click();
  await page.getByLabel("Filter messages").fill("name:fails dir:received");
  const row = page.getByRole("listbox", { name: "Messages" }).getByRole("option").filter({ hasText: "tools/call fails" });
  expect(await shownParts(row)).toEqual([
    ["received", "←"],
    ["name", "tools/call fails"],
    ["latency", expect.stringMatching(/^[\d.]+ ms$/)],
    ["time", expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/)],
    ["type", "result"],
    ["size", expect.stringMatching(/^\d+ B$/)],
  ]);
  inspector.note("Reloaded in 20 ms: +tool refund", { level: "error" });
  await page.getByRole("link", { name: /^Activity/ }).click();
  const note = page.getByRole("listbox", { name: "Activities" }).getByRole("option").filter({ hasText: "+tool refund" });
  expect(await shownParts(note)).toEqual([
    ["name", "Reloaded in 20 ms: +tool refund"],
    ["time", expect.stringMatching(/^\d\d:\d\d:\d\d\.\d{3}$/)],
    ["type", "error"],
  ]);
  await note.click();
  await page.getByRole("region", { name: "Activity" }).getByText("Reloaded in 20 ms").waitFor();
  await page.getByRole("button", { name: "← Activities" }).click();
  await note.waitFor();
});

/** The parts of a row that can be read in full, from its top left: the last class and the text of each. */
async function shownParts(row: Locator): Promise<[string, string][]> {
  await row.waitFor();
  return row.locator(".message > *").evaluateAll((parts) =>
    parts
      .map((part) => ({
        part: part as HTMLElement,
        box: part.getBoundingClientRect(),
        item: part.closest(".item")!.getBoundingClientRect(),
      }))
      .filter(({ part, box, item }) => {
        const isInside = box.left >= item.left && box.right <= item.right && box.top >= item.top && box.bottom <= item.bottom;
        return box.width > 0 && isInside && part.scrollWidth <= part.clientWidth && part.innerText !== "";
      })
      .toSorted((a, b) => Math.round((a.box.top - b.box.top) / 8) || a.box.left - b.box.left)
      .map(({ part }) => [part.className.split(" ").at(-1)!, part.innerText] as [string, string]),
  );
}
