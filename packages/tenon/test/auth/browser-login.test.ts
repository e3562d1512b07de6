// A user with a real browser logs in: the page, the button, and the way back to the program.
import type { Page } from "playwright-core";
import { connect } from "tenon";
import { oauth } from "tenon/auth";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { sharedBrowser } from "../runtimes/browser.ts";
import { asked, authorizationServer, protect } from "./support.ts";

const browserFor = sharedBrowser();

async function newPage(context: TestContext): Promise<Page> {
  const page = await browserFor(context).newPage();
  onTestFinished(() => page.close());
  return page;
}

test("a user reads the page, approves, and reads that the login goes on in the program [R15]", async (context) => {
  const page = await newPage(context);
  const complaints: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  const as = await authorizationServer({ consent: "page" });
  const server = await protect(as);
  server.guarding.challenge = 'scope="notes:read"';
  const open = async (url: URL): Promise<void> => {
    await page.goto(url.href);
    expect(await page.textContent("body")).toContain("notes:read");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("You can close this page").waitFor();
  };
  await using client = await connect(server.url, { auth: oauth({ open, clientName: "<b>Notes</b>" }) });
  expect((await client.callTool("echo", { a: 1 })).text).toBe('{"a":1}');
  const back = new URL(page.url());
  expect(back.origin + back.pathname).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\/[\w-]{22}$/);
  expect(await page.locator("script").count()).toBe(0);
  expect(await page.textContent("body")).not.toContain(back.searchParams.get("code"));
  // A browser looks for an icon by itself, and finds nothing that listens any more.
  expect(complaints.filter((text) => !/favicon|ERR_CONNECTION_REFUSED|404|ERR_/.test(text))).toEqual([]);
  expect(asked(as, "token")).toHaveLength(1);
});

test("a user who denies ends the login with an error that says so [M4.4]", async (context) => {
  const page = await newPage(context);
  const as = await authorizationServer({ consent: "page" });
  const server = await protect(as);
  const open = async (url: URL): Promise<void> => {
    await page.goto(url.href);
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByText("You can close this page").waitFor();
  };
  await expect(connect(server.url, { auth: oauth({ open }) })).rejects.toMatchObject({
    hop: "authorization",
    error: "access_denied",
  });
  expect(asked(as, "token")).toEqual([]);
});
