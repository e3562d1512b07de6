// The page of `tenon dev`: it shows the server while its file is saved, and opens at a terminal. Needs a build.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi, type TestContext } from "vitest";
import { sharedBrowser } from "../../../tenon/test/runtimes/browser.ts";
import { assertHas } from "../../../tenon/test/support/needs.ts";
import { CTRL_C, nodeAtTerminal } from "../cli/at-terminal.ts";
import { Events, project, startHttp } from "./project.ts";

vi.setConfig({ testTimeout: 120_000 });

const browserFor = sharedBrowser();

const FILE = `import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "shop", version: "1" });
server.tool("price", {}, () => "100");
`;
const MORE = `${FILE}server.tool("refund", {}, () => "refunded");
`;

async function open({ skip }: TestContext, events: Events): Promise<Page> {
  const browser = browserFor({ skip });
  const { url } = await events.next("page");
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

test.for(["2025-11-25", "2026-07-28"])(
  "on %s the page follows each save: lists, what it means, and errors with their place",
  async (revision, context) => {
    const shop = project({ "server.mjs": FILE });
    const { events } = await startHttp(shop, "server.mjs");
    const page = await open(context, events);
    await page.getByRole("option", { name: /^price/ }).waitFor();
    await page.getByLabel("Revision to speak").selectOption(revision);
    await page.getByRole("img", { name: "open" }).waitFor();
    await page.getByRole("option", { name: /^price/ }).waitFor();
    shop.save("server.mjs", MORE);
    await page.getByRole("option", { name: /^refund/ }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("tabpanel").getByText("refunded").waitFor();
    shop.save("server.mjs", `${MORE}server.tool(`);
    await page.getByRole("link", { name: /^Activity/ }).click();
    await page
      .getByText(/The version before is still served/)
      .first()
      .waitFor();
    await page.getByText(/^Reloaded in \d+ ms: \+tool refund$/).waitFor();
    shop.save("server.mjs", FILE);
    await page.getByText(/^Reloaded in \d+ ms: -tool refund \(breaking\)$/).waitFor();
    await page.getByText("tools have changed: -refund").waitFor();
    expect(await page.getByRole("link", { name: /^Tools/ }).innerText()).toBe("Tools 1");
  },
);

test("a file that does not run at first is shown when a save has mended it", async (context) => {
  const shop = project({ "server.mjs": "nothing(" });
  const { events } = await startHttp(shop, "server.mjs");
  const page = await open(context, events);
  await page.getByRole("link", { name: /^Activity/ }).click();
  await page
    .getByText(/^✗|SyntaxError|Unexpected/)
    .first()
    .waitFor();
  shop.save("server.mjs", FILE);
  await page.getByText(/^Loaded in \d+ ms$/).waitFor();
  await page.getByRole("link", { name: /^Tools/ }).click();
  await page.getByRole("option", { name: /^price/ }).waitFor();
  expect((await events.next("served")).number).toBe(1);
});

test("a program that starts the command on stdio gets a page too; its address is on stderr", async (context) => {
  const { command, args, cwd } = project({ "server.mjs": FILE }).command("dev", "server.mjs", "--stdio", "--json");
  const child = spawn(command, args, { cwd, stdio: "pipe" });
  const ended = once(child, "close");
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  const events = new Events();
  events.read(child.stderr);
  child.stdout.resume();
  const page = await open(context, events);
  await page.getByRole("option", { name: /^price/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("tabpanel").getByText("100").waitFor();
  expect(events.all.map(({ kind }) => kind)).toEqual(["served", "page"]);
});

test("at a terminal the page opens in the browser, and again after o; --no-open only prints its address", async (context) => {
  assertHas(context, "script");
  const shop = project({ "server.mjs": FILE });
  const folder = mkdtempSync(join(tmpdir(), "tenon-opened-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const seen = join(folder, "opened");
  writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\necho "$1" >> '${seen}'\n`);
  chmodSync(join(folder, "xdg-open"), 0o755);
  const run = (...words: string[]): ReturnType<typeof nodeAtTerminal> => {
    const { args, cwd } = shop.command("dev", "server.mjs", "--port", "0", ...words);
    const opened = "It opens in your browser";
    const typed = words.length === 0 ? [[opened, "o\n"] as const, [opened, CTRL_C] as const] : [["The page: ", CTRL_C] as const];
    return nodeAtTerminal(args, typed, cwd, `${folder}:${process.env["PATH"]}`);
  };
  await run("--no-open");
  expect(existsSync(seen)).toBe(false);
  const { screen } = await run();
  const shown = [...screen.matchAll(/The page: (\S+)/g)].map(([, url]) => url);
  expect(shown).toHaveLength(2);
  await expect.poll(() => readFileSync(seen, "utf8").trim().split("\n")).toEqual(shown);
});
