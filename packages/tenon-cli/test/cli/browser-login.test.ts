// A login as a person makes it: `tenon login` in a process of its own, the pages in a real browser, clicks on their buttons.
import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi, type TestContext } from "vitest";
import { sharedBrowser } from "../../../tenon/test/runtimes/browser.ts";
import { pageIn, protectedWorld, type World } from "./protected.ts";
import type { Ended } from "./start-command.ts";

vi.setConfig({ testTimeout: 60_000 });

const browserFor = sharedBrowser();

/** A browser of its own, without anything remembered. Skips the test where there is none. */
async function openPage(context: TestContext): Promise<Page> {
  const own = await browserFor(context).newContext({ viewport: { width: 900, height: 560 } });
  onTestFinished(() => own.close());
  return own.newPage();
}

/** Runs `tenon login` while `visit` is at the page it shows. */
async function logInWith(page: Page, { run, url }: World, visit: () => Promise<void>): Promise<Ended> {
  let visiting: Promise<void> | undefined;
  const ended = await run(["login", url, "--no-browser"], {
    onStderr: (text) => {
      const address = pageIn(text);
      if (address !== undefined) visiting ??= page.goto(address).then(visit);
    },
  });
  await visiting;
  return ended;
}

test("a person approves, sees that the page may be closed, and every command works from then on [R15 M4.1]", async (context) => {
  const page = await openPage(context);
  const world = await protectedWorld({ consent: "page" });
  const { url, run } = world;
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const login = await logInWith(page, world, async () => {
    expect(await page.getByRole("heading").innerText()).toBe("Allow access?");
    expect(new URL(page.url()).searchParams.get("code_challenge_method")).toBe("S256");
    expect(await page.getByText("asks for access").innerText()).toBe("Tenon command line asks for access in the name of user.");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "You can close this page" }).waitFor();
  });
  expect(login).toMatchObject({ code: 0, stdout: expect.stringContaining("Logged in to protected") as string });

  expect(new URL(page.url())).toMatchObject({
    hostname: "127.0.0.1",
    pathname: expect.stringMatching(/^\/callback\/[\w-]{22}$/) as string,
  });
  expect(await page.locator("body").innerText()).not.toContain(new URL(page.url()).searchParams.get("code")!);
  // The policy lets the page have its own style, and nothing else is asked for.
  expect(await page.locator("main").evaluate((main) => getComputedStyle(main).overflowWrap)).toBe("anywhere");
  expect(complaints).toEqual([]);

  expect(await run(["call", url, "echo", "--args", '{"a":1}'])).toMatchObject({ code: 0, stdout: '{"a":1}\n' });
  expect((await run(["whoami", url])).stdout).toContain("scopes    read\n");
  expect(await run(["logout", url])).toMatchObject({ code: 0 });
  expect(await run(["call", url, "echo"])).toMatchObject({ code: 4, stdout: "" });
});

test("a person denies: the page is the same, and the command says that it was refused", async (context) => {
  const page = await openPage(context);
  const world = await protectedWorld({ consent: "page" });
  const login = await logInWith(page, world, async () => {
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "You can close this page" }).waitFor();
  });
  expect(login.stderr).toContain(
    "the authorization server refused with access_denied. The user or a policy refused: ask them, then log in again.",
  );
  expect(login).toMatchObject({ code: 4, stdout: "" });
  expect(await world.run(["whoami", world.url])).toMatchObject({ code: 4 });
});
