// The page of the inspector in a browser, used as a newcomer uses it.
import { chromium } from "playwright-core";
import { programOf } from "../../scripts/setup/find.mjs";

/** Milliseconds for one step in the page. It ends what hangs. */
const LIMIT = 60_000;

/** Calls the tool `add` by its form, and returns what the page shows as its result. */
export async function callAdd(url, { a, b }) {
  // The sandbox needs rights that root in a container does not have; the page is our own.
  const browser = await chromium.launch({
    executablePath: programOf("chromium"),
    args: ["--no-sandbox", "--disable-gpu"],
    timeout: LIMIT,
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(LIMIT);
    await page.goto(url);
    await page.getByRole("option", { name: /^add/ }).click();
    await page.getByLabel(/^a\b/).fill(String(a));
    await page.getByLabel(/^b\b/).fill(String(b));
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ done").waitFor();
    return await page.getByRole("main").innerText();
  } finally {
    await browser.close();
  }
}
