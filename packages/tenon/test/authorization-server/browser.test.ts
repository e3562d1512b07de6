// The consent page in Chromium: a user decides, and other pages cannot decide for the user.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test, type TestContext } from "vitest";
import { launch } from "../runtimes/browser.ts";
import { has, leaveOut } from "../support/needs.ts";
import { authorizeUrl, register, startOAuthSite, webClient, type Site } from "./support.ts";
import { listen, type OAuthUpstream } from "./upstreams.ts";

let browser: Browser | undefined;
beforeAll(async () => {
  browser = has("chromium") ? await launch() : undefined;
}, 120_000);
afterAll(() => browser?.close());

interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complains about: refusals by the policy. */
  readonly complaints: string[];
}

/** A new window, with cookies of its own. Skips the test if there is no browser. */
async function open({ skip }: TestContext, options: { width?: number; dark?: boolean } = {}): Promise<Opened> {
  if (browser === undefined) return leaveOut(["chromium"], { skip });
  const { width = 1280, dark = false } = options;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: dark ? "dark" : "light" });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(100_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => void complaints.push(message.text()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  return { context, page, complaints };
}

type LoginSite = Site & { readonly upstream: OAuthUpstream };

/** A client of another origin, to which the browser comes back. */
async function clientOf(site: LoginSite, client_name = "Notes for You"): Promise<{ clientId: string; redirect: string }> {
  const redirect = `${await listen((_request, response) => response.end("Back at the client"))}/cb`;
  return { clientId: (await register(site, { client_name, redirect_uris: [redirect] })).body.client_id, redirect };
}

test("a user allows a client, logs in at the provider, and comes back to the client", async (context) => {
  const { page, complaints } = await open(context);
  const site = await startOAuthSite();
  const { clientId, redirect } = await clientOf(site);
  await page.goto(authorizeUrl(site, { client_id: clientId, redirect_uri: redirect }));
  await page.getByRole("heading", { name: "Allow access?" }).waitFor();
  expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
    "Read your notes notes:read",
    "Change your notes notes:write",
  ]);
  await page.getByRole("button", { name: "Allow and log in with Codehub" }).click();
  await page.getByText("Back at the client").waitFor();
  expect(page.url()).toMatch(/\?code=[\w-]+&state=s1&iss=/);
  expect(complaints).toEqual([]);

  // logged in, but a program on this computer
  await page.goto(authorizeUrl(site, { client_id: clientId, redirect_uri: redirect }));
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByText("Back at the client").waitFor();
  expect(site.upstream.logins).toHaveLength(1);
  expect(complaints).toEqual([]);
}, 120_000);

test("a user denies, and the client gets an error", async (context) => {
  const { page, complaints } = await open(context);
  const site = await startOAuthSite();
  const { clientId, redirect } = await clientOf(site);
  await page.goto(authorizeUrl(site, { client_id: clientId, redirect_uri: redirect }));
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Back at the client").waitFor();
  expect(page.url()).toContain("error=access_denied");
  expect({ logins: site.upstream.logins.length, complaints }).toEqual({ logins: 0, complaints: [] });
}, 120_000);

test("another page can neither frame the consent page nor send its form", async (context) => {
  const { context: window, page } = await open(context);
  const site = await startOAuthSite();
  const { clientId, redirect } = await clientOf(site);
  await page.goto(authorizeUrl(site, { client_id: clientId, redirect_uri: redirect }));
  await page.getByRole("button", { name: "Deny" }).waitFor();
  const consent = page.url();
  const evil = await listen((request, response) => {
    const frame = `<iframe src="${consent}"></iframe>`;
    const form =
      `<form method="post" action="${consent}">` +
      '<input name="decision" value="allow"></form><script>document.forms[0].submit()</script>';
    response.writeHead(200, { "content-type": "text/html" }).end(request.url === "/frame" ? frame : form);
  });
  const attacker = await window.newPage();
  const refusals: string[] = [];
  attacker.on("console", (message) => void refusals.push(message.text()));
  await attacker.goto(`${evil.replace("127.0.0.1", "localhost")}/frame`); // another site, so that cookies are those of a stranger
  await expect.poll(() => refusals.join(), { timeout: 120_000 }).toContain("frame-ancestors");
  expect(await attacker.frameLocator("iframe").getByRole("button").count()).toBe(0);
  await attacker.goto(`${evil.replace("127.0.0.1", "localhost")}/form`);
  await attacker.getByRole("heading").waitFor();
  expect(await attacker.getByRole("heading").innerText()).not.toBe("Allow access?");
  expect(site.upstream.logins).toHaveLength(0);
}, 120_000);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test.for([
  { width: 1280, dark: false },
  { width: 1280, dark: true },
  { width: 400, dark: false },
  { width: 400, dark: true },
])("the page can be read and used by everyone: %j", { timeout: 120_000 }, async (options, context) => {
  const { page } = await open(context, options);
  const site = await startOAuthSite();
  const client_name = `A <b>client</b> with a name that goes on and on ${"and on ".repeat(8)}`;
  const clientId = await webClient(site, { client_name, redirect_uris: [`https://app.example.com/${"long/".repeat(30)}`] });
  await page.goto(authorizeUrl(site, { client_id: clientId, redirect_uri: `https://app.example.com/${"long/".repeat(30)}` }));
  await page.getByRole("heading", { name: "Allow access?" }).waitFor();
  const folder = process.env["SCREENSHOTS"];
  if (folder !== undefined)
    await page.screenshot({ path: `${folder}/consent-${options.width}-${options.dark ? "dark" : "light"}.png`, fullPage: true });
  const violations = await page.evaluate(`${AXE}; axe.run(document).then(({ violations }) => violations.map(({ id }) => id))`);
  expect(violations).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Allow");
});
