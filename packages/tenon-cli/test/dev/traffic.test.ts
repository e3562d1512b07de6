// The page of `tenon dev` shows what every client says: clients over real connections, and the page in a real browser. Needs a
// build.
import { PassThrough } from "node:stream";
import type { Browser, Page } from "playwright-core";
import { expect, onTestFinished, test, vi, type TestContext } from "vitest";
import { connect, type Client } from "tenon";
import { sharedBrowser } from "../../../tenon/test/runtimes/browser.ts";
import { Events, project, startHttp } from "./project.ts";

vi.setConfig({ testTimeout: 300_000 });

const browserFor = sharedBrowser();

const FILE = `import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "shop", version: "1" });
server.tool("price", {}, () => "100");
server.tool("pay", {}, async (_input, ctx) => {
  const { action } = await ctx.confirm("sure", "Pay now?").then((isSure) => ({ action: isSure ? "paid" : "kept" }));
  return { action, access_token: "secret-of-the-result" };
});
server.tool("wait", {}, (_input, { signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))));
`;
const SECRETS = [
  "secret-of-the-header",
  "secret-of-the-cookie",
  "secret-of-the-argument",
  "secret-of-the-result",
  "secret-bearer-1",
];

interface Host {
  readonly client: Client;
  readonly page: Page;
}

/** Starts \`tenon dev\`, its page, and a client of another host. */
async function start({ skip }: TestContext, how: "HTTP" | "stdio", revision: "2025-11-25" | "2026-07-28"): Promise<Host> {
  const browser = browserFor({ skip });
  const shop = project({ "server.mjs": FILE });
  const options = {
    revision,
    clientInfo: { name: "host-app", version: "1" },
    onElicit: () => ({ action: "accept" as const, content: { confirmed: true } }),
  };
  const headers = { authorization: `Bearer ${SECRETS[0]}`, cookie: `session=${SECRETS[1]}` };
  if (how === "HTTP") {
    const { url, events } = await startHttp(shop, "server.mjs");
    const page = await open(browser, events);
    return { page, client: await closing(connect({ url, headers }, options)) };
  }
  const events = new Events();
  const stderr = new PassThrough();
  events.read(stderr);
  const { command, args, cwd } = shop.command("dev", "server.mjs", "--stdio", "--json");
  const client = await closing(connect({ command, args, cwd, stderr }, options));
  return { client, page: await open(browser, events) };
}

async function closing(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting;
  onTestFinished(() => client.close());
  return client;
}

async function open(shown: Browser, events: Events): Promise<Page> {
  const { url } = await events.next("page");
  const context = await shown.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(240_000); // it ends what hangs
  await page.goto(url);
  await page.getByRole("option", { name: /^price/ }).waitFor();
  return page;
}

test.for([
  ["HTTP", "2025-11-25"],
  ["HTTP", "2026-07-28"],
  ["stdio", "2025-11-25"],
  ["stdio", "2026-07-28"],
] as const)(
  "the page shows what another client says over %s on %s, under its name and without secrets",
  async ([how, revision], context) => {
    const { client, page } = await start(context, how, revision);
    const pay = { password: SECRETS[2], note: `Bearer ${SECRETS[4]}` };
    expect((await client.callTool("pay", pay)).structuredContent).toEqual({ action: "paid", access_token: SECRETS[3] });
    await page.getByRole("option", { name: /^price/ }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ done").waitFor();
    await page.getByRole("link", { name: /^Wire/ }).click();
    const filter = page.getByLabel("Filter messages");
    const rows = page.getByRole("listbox", { name: "Messages" }).getByRole("option");
    // The page is a client too, and each of its messages is there once.
    await filter.fill("name:price dir:sent");
    await page.getByText("1 message", { exact: true }).waitFor();
    await filter.fill("client:page name:pay");
    await page.getByText("No message fits the filter.").waitFor();
    await filter.fill("client:host-app name:pay");
    // A stateless client calls again with its answer.
    const rounds = revision === "2026-07-28" ? 2 : 1;
    await page.getByText(`${rounds * 2} messages`, { exact: true }).waitFor();
    const name = revision === "2026-07-28" ? "host-app" : "host-app #1";
    await rows
      .filter({ hasText: `tools/call pay ${name}` })
      .first()
      .waitFor();
    let text = "";
    for (let at = 0; at < rounds * 2; at++) {
      await rows.nth(at).click();
      await page
        .getByRole("region", { name: "Message" })
        .getByText(new RegExp(`sent (?:by|to) ${name}`))
        .waitFor();
      await page.getByRole("tab", { name: "Text" }).click();
      text += await page.getByRole("tabpanel").innerText();
    }
    expect(text).toContain('"password":"(left out)"');
    expect(text).toContain("Bearer (left out)");
    expect(text).toContain('"access_token":"(left out)"');
    await filter.fill(`client:host-app rev:${revision} ${revision === "2026-07-28" ? "Pay now?" : "elicitation/create Pay"}`);
    await rows.first().waitFor();
    const leaving = new AbortController();
    const waiting = client.callTool("wait", {}, { signal: leaving.signal });
    await filter.fill("client:host-app name:wait");
    await page.getByText("1 message", { exact: true }).waitFor();
    leaving.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    // A stateless client over HTTP only closes the response.
    if (how === "stdio" || revision === "2025-11-25") {
      await filter.fill("client:host-app method:notifications/cancelled");
      await page.getByText("1 message", { exact: true }).waitFor();
    }
    for (const secret of SECRETS) {
      await filter.fill(secret);
      await page.getByText("No message fits the filter.").waitFor();
    }
  },
);
