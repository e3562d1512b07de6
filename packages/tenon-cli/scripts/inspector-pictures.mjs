// Makes the pictures of the inspector for docs/tools/inspect.md: `tenon inspect` over a small server, in Chromium. Needs a build.
//   node scripts/inspector-pictures.mjs [folder]      default: docs/tools/inspect
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { programOf } from "../../../scripts/setup/find.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, "docs/tools/inspect"));
mkdirSync(folder, { recursive: true });

/** Runs the command; resolves with the address of its page. */
async function inspect(...args) {
  const child = spawn(
    process.execPath,
    [
      join(root, "packages/tenon-cli/dist/main.js"),
      "inspect",
      join(root, "packages/tenon-cli/scripts/pictures/travel.mjs"),
      "--json",
      ...args,
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  for await (const line of createInterface(child.stdout)) return { url: JSON.parse(line).url, end: () => child.kill("SIGINT") };
  throw new Error("The command ended");
}

const browser = await chromium.launch({ executablePath: programOf("chromium"), args: ["--no-sandbox"] });

async function picture(name, { width = 1280, height = 800, dark = false, args = [] }, visit) {
  const { url, end } = await inspect(...args);
  try {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      reducedMotion: "reduce", // else a colour is shown on its way to another
      hasTouch: width < 500,
      isMobile: width < 500,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000); // it ends what hangs
    await page.goto(url);
    await page.getByRole("option", { name: /book/ }).first().waitFor();
    await visit(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await context.close();
  } finally {
    end();
  }
}

async function book(page) {
  await page.getByRole("option", { name: /^book/ }).click();
  await page.getByLabel(/^to/).fill("Lisbon");
  await page.getByLabel(/^when/).fill("2026-12-24");
  await page.getByLabel(/^name/).fill("Ada");
  await page.getByLabel(/^number/).fill("411111111111");
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByText("The server asks").first().waitFor();
}

async function answer(page) {
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByLabel("window, any").check();
}

async function offers(page) {
  await page.getByRole("option", { name: /^offers/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("tab", { name: "Table" }).click();
}

try {
  await picture("tools", {}, async (page) => {
    await book(page);
    await answer(page);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("link", { name: /Tools/ }).click();
    await page.getByRole("option", { name: /^book/ }).click();
    await page.getByRole("tab", { name: "Table" }).click();
  });
  await picture("asked", { dark: true }, async (page) => {
    await book(page);
    await answer(page);
  });
  await picture("wire", {}, async (page) => {
    await offers(page);
    await page.getByRole("link", { name: /Wire/ }).click();
    await page
      .getByRole("option", { name: /tools\/call offers/ })
      .first()
      .click();
    await page.getByRole("tab", { name: "As another revision" }).click();
    await page.getByRole("button", { name: "2025-11-25" }).click();
    await page.getByRole("table").waitFor();
  });
  await picture("view", { height: 620 }, async (page) => {
    await page.getByRole("option", { name: /^map/ }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.frameLocator(".app iframe").frameLocator("iframe").getByText("Seats of TN 104").waitFor();
  });
  await picture("phone", { width: 400, height: 800, dark: true }, offers);
} finally {
  await browser.close();
}
