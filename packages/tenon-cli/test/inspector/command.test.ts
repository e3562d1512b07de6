// `tenon inspect`, with its page in a real browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi, type TestContext } from "vitest";
import { protectedWorld } from "../cli/protected.ts";
import { runCommand } from "../cli/run-command.ts";
import { type Ended, fixture, MAIN } from "../cli/start-command.ts";
import { sharedBrowser } from "../../../tenon/test/runtimes/browser.ts";

vi.setConfig({ testTimeout: 120_000 });

const browserFor = sharedBrowser();

/** Runs the command, visits its page, and interrupts the command. Skips the test if there is no browser. */
async function visit(
  { skip }: TestContext,
  run: typeof runCommand,
  args: readonly string[],
  look: (page: Page, address: string) => Promise<void>,
): Promise<Ended> {
  const context = await browserFor({ skip }).newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  onTestFinished(() => context.close());
  let looking: Promise<unknown> | undefined;
  const ended = await run(["inspect", ...args, "--no-open", "--json"], {
    onStdout: (text, kill) => {
      if (!text.includes("\n")) return;
      looking ??= lookAt(text).then(
        () => kill("SIGINT"),
        (error: unknown) => {
          kill("SIGINT");
          return error;
        },
      );
    },
  });
  const failure = await looking;
  if (failure instanceof Error) throw failure;
  expect(JSON.parse(ended.stdout)).toEqual({ url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]+$/) as string });
  return ended;

  async function lookAt(text: string): Promise<void> {
    const { url } = JSON.parse(text) as { url: string };
    const page = await context.newPage();
    await page.goto(url);
    await look(page, url);
  }
}

function configFile(servers: object): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-inspect-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

test("a file is served until Ctrl-C; its address works once", async (context) => {
  const { code, stderr } = await visit(context, runCommand, [fixture("sums.mjs")], async (page, address) => {
    await page.getByRole("option", { name: /^argv/ }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ done").waitFor();
    const second = await page.context().newPage();
    await second.goto(address);
    await second.getByText("Each address that the command prints works once").waitFor();
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("Error") as string });
});

test("an exported test starts a file that serves itself as any machine can, without paths of this one", async (context) => {
  const file = relative(process.cwd(), fixture("self-serving.mjs"));
  await visit(context, runCommand, [file], async (page) => {
    await page.getByRole("link", { name: /^Recording/ }).click();
    await page.getByRole("button", { name: "● Record" }).click();
    await page.getByRole("button", { name: "■ Stop" }).waitFor();
    await page.getByRole("link", { name: /^Tools/ }).click();
    await page.getByRole("option", { name: /^ok/ }).click();
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ done").waitFor();
    await page.getByRole("link", { name: /^Recording/ }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as a vitest file" }).click();
    await page.getByRole("button", { name: /^Run/ }).click();
    const text = readFileSync(await (await downloading).path(), "utf8");
    expect(text.replace(/\s+/g, " ")).toContain(`connect({ "command": "npx", "args": [ "tenon", "run", "${file}" ] }`);
    for (const path of [process.cwd(), process.execPath, MAIN]) expect(text).not.toContain(path);
  });
});

test("every server of a configuration file is there, and one that does not start says why", async (context) => {
  const sums = { command: process.execPath, args: [MAIN, "run", fixture("sums.mjs")], env: { MODE: "of the file" } };
  const file = configFile({ sums, broken: { command: process.execPath, args: [fixture("broken.mjs")] } });
  const { code } = await visit(context, runCommand, ["--config", file, "--yes"], async (page) => {
    await page.getByRole("option", { name: /^env/ }).click();
    await page.getByLabel(/^name/).fill("MODE");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("tabpanel").getByText("of the file").waitFor();
    await page.getByLabel("Server", { exact: true }).selectOption("broken");
    await page.getByRole("img", { name: "failed" }).waitFor();
  });
  expect(code).toBe(0);
});

test.for(["2025-11-25", "2026-07-28"])(
  "a URL that needs a token, on %s: headers, curl and the way in, without the token",
  async (revision, context) => {
    const token = "a-token-that-nobody-sees";
    const world = await protectedWorld(
      {},
      {
        verify: (given) =>
          given === token
            ? { issuer: world.as.issuer, audience: world.url, subject: "ada", clientId: "inspector", scopes: ["read"] }
            : undefined,
      },
    );
    const header = ["--header", `Authorization: Bearer ${token}`, "--revision", revision];
    await visit(context, world.run as typeof runCommand, [world.url, ...header], async (page) => {
      await page.getByRole("option", { name: /^echo/ }).click();
      await page.getByRole("button", { name: /^Call/ }).click();
      await page.getByText("✓ done").waitFor();
      await page.getByRole("link", { name: /^Wire/ }).click();
      await page.getByRole("option", { name: /sent.*tools\/call echo/ }).click();
      await page.getByRole("tab", { name: "Headers" }).click();
      const shown = await page.getByRole("tabpanel").innerText();
      expect(shown).toMatch(/authorization\s+\(left out\)/i);
      expect(shown).toContain(revision);
      await page.getByRole("button", { name: "copy curl" }).click();
      await page.getByText("copied").waitFor();
      const curl = await page.evaluate(() => navigator.clipboard.readText());
      expect(curl).toContain(`curl -sS ${world.url}`);
      expect(curl).toContain('-H "Authorization: Bearer $TOKEN"');
      expect(curl).toContain('"method":"tools/call"');
      await page.getByRole("link", { name: /^Access/ }).click();
      await page.getByRole("button", { name: "Examine" }).click();
      await page.getByText("✓ reachable").waitFor();
      await page.getByText("✓ access").waitFor();
      expect((await page.content()) + curl).not.toContain(token);
    });
  },
);

test("a URL that refuses: the page says that it needs a login", async (context) => {
  const world = await protectedWorld();
  const { code } = await visit(context, world.run as typeof runCommand, [world.url], async (page) => {
    await page.getByRole("img", { name: "failed" }).waitFor();
    await page.getByRole("link", { name: /^Access/ }).click();
    await page.getByText(`tenon login ${world.url}`).first().waitFor();
    await page.getByRole("button", { name: "Examine" }).click();
    await page.getByText("– token").waitFor();
  });
  expect(code).toBe(0);
});

test.for(["2025-11-25", "2026-07-28"])(
  "on %s the page logs in after a click on the whole address, and logs out; it gets no token",
  async (revision, context) => {
    const world = await protectedWorld();
    const run = world.run as typeof runCommand;
    await visit(context, run, [world.url, "--revision", revision], async (page) => {
      await page.getByRole("img", { name: "failed" }).waitFor();
      await page.getByRole("link", { name: /^Access/ }).click();
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      const link = page.getByRole("link", { name: new RegExp(`^${world.as.issuer}/authorize`) });
      await link.waitFor();
      expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
      expect(world.as.requests.some(({ endpoint }) => endpoint === "authorize")).toBe(false);
      await link.click();
      await page.getByText(/^✓ Logged in to/).waitFor();
      await page.getByRole("img", { name: "open" }).waitFor();
      await page.getByRole("button", { name: "Examine" }).click();
      await page.getByText("✓ token").waitFor();
      await page.getByRole("button", { name: "Log out", exact: true }).click();
      await page.getByText(/^✓ Logged out of/).waitFor();
      await page.getByRole("img", { name: "failed" }).waitFor();
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      await link.waitFor();
      await page.getByRole("button", { name: "Cancel the login" }).click();
      await page.getByText("✗ The login was cancelled").waitFor();
      expect(await page.content()).not.toMatch(/access_token|refresh_token/);
    });
    expect(world.secrets()).toBeGreaterThan(0);
  },
);
