// The page of `tenon inspect` as people use it: in a real browser, over servers of both families.
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { McpServer } from "tenon";
import { connect } from "tenon/client";
import { testClient } from "tenon/testing";
import * as z from "zod";
import type { SessionFile } from "../../src/inspector/target/recording.ts";
import { replayedServer } from "../../src/record/replayed-server.ts";
import { browserOf, inspect, PageFiles, show } from "./support.ts";
import { choose, travel } from "./travel.ts";

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

async function callTool(page: Page, name: string): Promise<void> {
  await choose(page, "Tools", name);
  await page.getByRole("button", { name: /^Call/ }).click();
}

/** Exports the recording, after a word of warning if there is one. */
async function exported(page: Page, warning?: string): Promise<{ name: string; text: string }> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as a vitest file" }).click();
  if (warning !== undefined) {
    await page.getByText(warning).waitFor();
    await page.getByRole("button", { name: /^Run/ }).click();
  }
  const download = await downloading;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

/** Saves the recording as a server. */
async function savedServer(page: Page): Promise<SessionFile> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a server" }).click();
  return JSON.parse(await readFile(await (await downloading).path(), "utf8")) as SessionFile;
}

/** Runs the body of an exported test against a server of this process. Returns what does not fit. */
async function runExported(text: string, server: McpServer): Promise<unknown[]> {
  const body = text
    .replace(/^import .*$/gm, "")
    .replaceAll("as never", "")
    .replace("await using tested", "const tested")
    .replace(/^test\(".*", /m, "return (")
    .replace(/\}\);\s*$/, "})();");
  const found: unknown[] = [];
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the exported file is what is tested
  const run = new Function("testClient", "expect", "server", body) as (...given: unknown[]) => Promise<void>;
  await run(testClient, expect, server).catch((error: unknown) => found.push(error));
  return found;
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a server of %s", (revision) => {
  const target = (server = travel()) => ({ name: "travel", typed: "travel.ts", server, options: { revision } });

  test("arguments show no fault before the user edits them or calls, and the first call shows what is wrong", async (context) => {
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target()]));
    const isChecked = page.waitForResponse((response) => response.request().postData()?.includes('"validate"') === true);
    await page.getByRole("option", { name: /^add/ }).click();
    const issues = page.getByRole("list", { name: "What does not fit the schema" });
    await isChecked;
    expect(await issues.count()).toBe(0);
    while ((await issues.count()) === 0) await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("button", { name: /^Call anyway/ }).waitFor();
    await issues.getByText("the arguments").first().waitFor();
    // What was mended is gone at once, so that the button stays where the user clicks: the next check has no response yet.
    await page.route("**/api/do", (route) => (route.request().postData()?.includes('"validate"') ? undefined : route.continue()));
    await page.getByLabel(/^a/).fill("1");
    await issues.waitFor({ state: "detached" });
    await page.getByLabel(/^b/).fill("2");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ done").waitFor();
    expect(complaints).toEqual([]);
  });

  test("a tool is called with what was typed into its form, and its result is shown against its schema", async (context) => {
    const { page, complaints, elsewhere } = await show(browser, context, await inspect(files.folder, [target()]));
    await page.getByRole("option", { name: /^book/ }).click();
    await page.getByLabel(/^to/).fill("Lisbon");
    await page.getByLabel(/^name/).fill("Ada");
    await page.getByLabel("Kind of payment").selectOption({ label: "invoice" });
    await page.getByLabel(/^address/).fill("1 Main Street");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ It matches the output schema.").waitFor();
    await page.getByRole("tab", { name: "Table" }).click();
    expect(await page.getByRole("table").innerText()).toContain("Lisbon");
    const sent = await page.evaluate(() => document.title);
    expect(sent).toBe("Tenon inspector");
    expect(new URL(page.url()).hash).toBe("#/0/tools/book");
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  test("a question amid a call waits for its answer, whatever view is open, and the call goes on", async (context) => {
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target()]));
    await callTool(page, "seat");
    await page.getByRole("status").getByText("The server asks: Which seat?").waitFor();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByLabel("4B").check();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("tabpanel").getByText("seat 4B").waitFor(); // the page goes back to the call and its result
    expect(complaints).toEqual([]);
  });

  test("a call's rounds are shown as they happen, and the same call is made on another revision beside it", async (context) => {
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target()]));
    await callTool(page, "seat");
    const rounds = page.getByRole("list", { name: "Rounds of the call" });
    await rounds.getByText("you answer").waitFor();
    const isStateless = revision === "2026-07-28";
    expect(await rounds.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringMatching(isStateless ? /^round 1\s+\d+ ms\s+asks seat$/ : /^round 1\s+…\s+runs$/),
      expect.stringMatching(isStateless ? /^you answer\s+…\s+seat$/ : /^you answer\s+…\s+elicitation\/create$/),
    ]);
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByLabel("4B").check();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await choose(page, "Tools", "seat");
    await page.getByText("✓ done").waitFor();
    const shown = await rounds.getByRole("listitem").allInnerTexts();
    expect(shown).toHaveLength(isStateless ? 3 : 2);
    if (isStateless)
      expect(shown[2]).toMatch(
        /^round 2\s+\d+ ms\s+the handler went on from its question, with a state of \d+ characters\. result$/,
      );
    await choose(page, "Tools", "add");
    await page.getByLabel(/^a/).fill("1");
    await page.getByLabel(/^b/).fill("2");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByText("✓ done").waitFor();
    const other = isStateless ? "2025-06-18" : "2026-07-28";
    await page.getByLabel("The same call on another revision").selectOption(other);
    await page.getByRole("tab", { name: `${revision} and ${other}` }).click();
    const both = page.getByRole("tabpanel");
    await both.getByText("What the server sent").waitFor();
    const written = await both.getByRole("region", { name: "Differences" }).allInnerTexts();
    expect(written[0]).toContain("/params/_meta");
    expect(written[1]).toContain("/result/resultType");
    expect(complaints).toEqual([]);
  });

  test("a call shows its progress and is cancelled; a tool that fails says so", async (context) => {
    const { page } = await show(browser, context, await inspect(files.folder, [target()]));
    await callTool(page, "slow");
    await page.getByText("1/4 packing").waitFor();
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await page.getByText("– cancelled").waitFor();
    await callTool(page, "fails");
    await page.getByText("✗ failed").waitFor();
    expect(await page.getByRole("tabpanel").innerText()).toContain('Tool "fails" failed');
  });

  test("resources are read, templates are filled in, prompts get suggestions from the server", async (context) => {
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target()]));
    await choose(page, "Resources", "notes://today");
    await page.getByRole("button", { name: /^Read/ }).click();
    await page.getByRole("tabpanel").getByText("Buy **milk**").waitFor();
    await page.getByRole("option", { name: /^notes:\/\/\{day\}/ }).click();
    await page.getByLabel(/^day/).fill("mon");
    await page.locator("datalist option[value=monday]").waitFor({ state: "attached" });
    await page.getByLabel(/^day/).fill("monday");
    await page.getByRole("button", { name: /^Read/ }).click();
    await page.getByRole("tabpanel").getByText("Notes of monday").waitFor();
    await choose(page, "Prompts", "review");
    await page.getByLabel(/^language/).fill("Rust");
    await page.getByRole("button", { name: /^Get/ }).click();
    await page.getByText("Review this Rust code.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("the wire has each message of both directions; a filter finds it; another revision writes it its way", async (context) => {
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target()]));
    await choose(page, "Tools", "add");
    await page.getByLabel(/^a/).fill("20");
    await page.getByLabel(/^b/).fill("22");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("tabpanel").getByText("42").waitFor();
    await page.getByRole("link", { name: /^Wire/ }).click();
    await page.getByLabel("Filter messages").fill("method:tools/call name:add");
    await page.getByText("2 messages").waitFor();
    await page.getByRole("option", { name: /sent.*tools\/call add/ }).click();
    await page.getByRole("tab", { name: "As another revision" }).click();
    const other = revision === "2025-11-25" ? "2026-07-28" : "2025-11-25";
    await page.getByRole("button", { name: other }).click();
    await page
      .getByRole("rowheader", { name: /protocolVersion|_meta/ })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test("a recording becomes a test that passes, and its replay shows what has changed", async (context) => {
    let price = 1;
    const server = travel();
    server.tool("price", {}, () => String(price));
    const module = { path: "/anywhere/travel.ts", name: "server" };
    const { page } = await show(browser, context, await inspect(files.folder, [{ ...target(server), module }]));
    await page.getByRole("link", { name: /^Recording/ }).click();
    await page.getByRole("button", { name: "● Record" }).click();
    await callTool(page, "price");
    await page.getByText("✓ done").waitFor();
    await page.getByRole("button", { name: /^Again/ }).click();
    await callTool(page, "seat");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByLabel("4A").check();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("link", { name: /^Recording/ }).click();
    await page.getByText("3 steps").waitFor();
    await page.getByRole("button", { name: "Take out step 2, price" }).click();
    await page.getByText("2 steps").waitFor();
    const recorded = page.getByRole("list", { name: "Recorded steps" }).getByRole("listitem");
    expect(await recorded.allInnerTexts()).toEqual([
      expect.stringMatching(/^✓\s*call\s*price\s*✕$/),
      expect.stringMatching(/seat\s*1 answer\s*✕$/),
    ]);
    const mock = replayedServer(await savedServer(page));
    await using client = await connect(mock, { revision, onElicit: () => ({ action: "accept", content: { seat: "4A" } }) });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("price");
    expect((await client.callTool("price")).text).toBe("1");
    expect((await client.callTool("seat")).isError).toBe(false);
    const { name, text } = await exported(page, "This runs 2 calls that may change something.");
    expect(name).toBe("travel.test.ts");
    expect(text).toContain(`import { testClient } from "tenon/testing";`);
    expect(text).not.toContain("_meta"); // it names the version of the server
    expect(await runExported(text, server)).toEqual([]);
    price = 2;
    expect(await runExported(text, server)).not.toEqual([]);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByRole("button", { name: "Run them" }).click();
    const steps = page.getByRole("list", { name: "Replayed steps" });
    await steps.getByText("✗ changed: call price").waitFor();
    expect(await steps.innerText()).toContain("✓ same: call seat");
  });

  test("secrets stay out of an exported test, wherever they are, and it passes with them in the environment", async (context) => {
    const server = travel();
    const input = z.object({ user: z.string(), password: z.string() });
    server.tool("login", { input, annotations: { readOnlyHint: true } }, async ({ user, password }, ctx) => {
      const { content } = await ctx.elicit("code", { message: "Code?", schema: z.object({ passcode: z.string() }) });
      if (password !== "correct horse" || content?.passcode !== "9-4711") throw new Error("Refused");
      return {
        content: [{ type: "text", text: `Hello ${user}` }],
        structuredContent: { user, session: { accessToken: "tkn-55-aa" } },
      };
    });
    server.tool("whoami", { annotations: { readOnlyHint: true } }, () =>
      ["Your token is tkn-55-aa.", '{"api_key":"key-77-bb","n":1}'].join("\n"),
    );
    server.tool("keys", { annotations: { idempotentHint: true } }, () => '{"api_key":"key-77-bb","n":1}');
    const module = { path: "/anywhere/travel.ts", name: "server" };
    const { page } = await show(browser, context, await inspect(files.folder, [{ ...target(server), module }]));
    await page.getByRole("link", { name: /^Recording/ }).click();
    await page.getByRole("button", { name: "● Record" }).click();
    await choose(page, "Tools", "login");
    await page.getByLabel(/^user/).fill("Ada");
    await page.getByLabel(/^password/).fill("correct horse");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByLabel(/^passcode/).fill("9-4711");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    for (const name of ["whoami", "keys"]) {
      await callTool(page, name);
      await page.getByText("✓ done").waitFor();
    }
    await page.getByRole("link", { name: /^Recording/ }).click();
    await page.getByText("3 steps").waitFor();
    const { text } = await exported(page);
    for (const secret of ["correct horse", "9-4711", "tkn-55-aa", "key-77-bb"]) expect(text).not.toContain(secret);
    expect(text).toContain('"password": (process.env["TENON_SECRET_1"] ?? "")');
    expect(text).toContain('"user": "Ada"');
    vi.stubEnv("TENON_SECRET_1", "correct horse");
    vi.stubEnv("TENON_SECRET_2", "9-4711");
    expect(await runExported(text, server)).toEqual([]);
    await page.getByRole("button", { name: "Replay", exact: true }).click();
    await page.getByText("✓ same: call login").waitFor();
    vi.stubEnv("TENON_SECRET_2", "wrong");
    expect(await runExported(text, server)).not.toEqual([]);
  });

  test("a change of a list is read again and told; logs arrive", async (context) => {
    const server = travel();
    server.tool("log", {}, async (_input, ctx) => {
      await ctx.log.warning("The disk is nearly full", "disk");
      return "";
    });
    const { page } = await show(browser, context, await inspect(files.folder, [target(server)]));
    await callTool(page, "log");
    await page.getByText("✓ done").waitFor();
    server.tool("late", { description: "Comes late" }, () => "");
    await page.getByRole("option", { name: /^late/ }).waitFor();
    await page.getByRole("link", { name: /^Activity/ }).click();
    await page.getByText("disk: The disk is nearly full").waitFor();
    await page.getByText("tools have changed: +late").waitFor();
    expect(await page.getByRole("link", { name: /^Tools/ }).innerText()).toBe("Tools 7");
  });
});
