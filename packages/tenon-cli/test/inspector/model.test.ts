// `--model` as people run it: the built command in a process of its own, its page in a real browser, and an API of a model on a
// real socket.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi, type TestContext } from "vitest";
import { project } from "../dev/project.ts";
import { modelServer } from "../../../tenon/test/models/model-server.ts";
import { listen, sharedBrowser } from "../../../tenon/test/runtimes/browser.ts";

vi.setConfig({ testTimeout: 120_000 });

const browserFor = sharedBrowser();

const KEY = "key-of-the-user";
const FILE = `import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "poet", version: "1" });
server.tool("ask", {}, async (_input, ctx) => {
  const messages = [{ role: "user", content: { type: "text", text: "A rhyme on day?" } }];
  const { content, model } = await ctx.sample("rhyme", { messages, systemPrompt: "Be brief.", maxTokens: 20 });
  return content.text + " by " + model;
});
`;

/** How each API is reached, and what it gets. */
const APIS = {
  anthropic: {
    form: "anthropic",
    env: (url: string) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
    path: "/v1/messages",
    headers: { "x-api-key": KEY },
    body: { model: "one", max_tokens: 20, system: "Be brief." },
  },
  openai: {
    form: "openai",
    env: (url: string) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
    path: "/v1/responses",
    headers: { authorization: `Bearer ${KEY}` },
    body: { model: "one", max_output_tokens: 20, instructions: "Be brief." },
  },
  google: {
    form: "gemini",
    env: (url: string) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
    path: "/v1beta/models/one:generateContent",
    headers: { "x-goog-api-key": KEY },
    body: { generationConfig: { maxOutputTokens: 20 }, systemInstruction: { parts: [{ text: "Be brief." }] } },
  },
} as const;
const COMMANDS = {
  inspect: ["inspect", "server.mjs", "--no-open", "--json"],
  dev: ["dev", "server.mjs", "--http", "--port", "0", "--json"],
} as const;

/** Starts the command, which ends with the test, and opens its page. */
async function open({ skip }: TestContext, words: readonly string[], env: object): Promise<Page> {
  const browser = browserFor({ skip });
  const { command, args, cwd } = project({ "server.mjs": FILE }).command(...words);
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env["PATH"], NODE_NO_WARNINGS: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGINT");
    await closed;
  });
  const address = await addressIn(createInterface({ input: child.stdout }));
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const { url = "" } = JSON.parse(line) as { url?: string };
    if (url.includes("#t=")) return url;
  }
  throw new Error("The command ended before it printed the address of its page");
}

/** Connects again, and resolves when the lists of the new connection are read. */
async function speak(page: Page, revision: string): Promise<void> {
  await page.getByLabel("Revision to speak").selectOption(revision);
  await page.getByRole("link", { name: /^Wire/ }).click();
  await page.getByLabel("Filter messages").fill(`rev:${revision} method:tools/list`);
  await page.getByRole("listbox", { name: "Messages" }).getByRole("option").first().waitFor();
  await page.getByRole("link", { name: /^Tools/ }).click();
}

/** Calls the tool, up to its question. */
async function callTool(page: Page): Promise<void> {
  await page.getByRole("option", { name: /^ask/ }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
  await page.getByRole("button", { name: "Answer" }).click();
}

/** Has the question answered by the model, and sends its answer as it is. */
async function sendDraft(page: Page, typed: string, answer: string): Promise<void> {
  await page.getByRole("button", { name: `Ask ${typed}` }).click();
  await page.waitForFunction((text) => document.querySelector("textarea")?.value === text, answer);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("tabpanel").getByText(`${answer} by scripted-model`).waitFor();
}

test.for([
  ["inspect", "anthropic"],
  ["inspect", "google"],
  ["dev", "anthropic"],
  ["dev", "openai"],
] as const)(
  "tenon %s --model %s/one: the API gets the question and its key, answers reach the server on both families, the page has none",
  async ([command, name], context) => {
    const { form, env, path, headers, body } = APIS[name];
    const typed = `${name}/one`;
    const api = await modelServer(form, [{ text: "May" }, { text: "Stay" }]);
    const page = await open(context, [...COMMANDS[command], "--model", typed], env(api.url));
    await callTool(page);
    await sendDraft(page, typed, "May");
    await speak(page, "2025-11-25");
    await callTool(page);
    await sendDraft(page, typed, "Stay");
    expect(api.paths).toEqual([path, path]);
    for (const got of api.headers) expect(got).toMatchObject(headers);
    for (const got of api.requests) expect(got).toMatchObject(body);
    expect(JSON.stringify(api.requests)).toContain("A rhyme on day?");
    await page.getByRole("link", { name: /^Wire/ }).click();
    await page.getByText(/^\d+ messages$/).waitFor();
    expect(await page.content()).not.toContain(KEY);
  },
);

test("what the API refuses stands at the question, and a refused question ends the request for its draft", async (context) => {
  let [requests, hasEnded] = [0, false];
  const url = await listen((request, response) => {
    request.resume();
    if (++requests > 1) return void response.on("close", () => (hasEnded = true)); // and never responds
    response.writeHead(529, { "content-type": "application/json" }).end('{ "error": { "message": "Overloaded" } }');
  });
  const page = await open(context, [...COMMANDS.inspect, "--model", "anthropic/one"], APIS.anthropic.env(url));
  await callTool(page);
  await page.getByRole("button", { name: "Ask anthropic/one" }).click();
  await page.getByText(`✗ anthropic/one: ${new URL(url).host} answered with status 529: Overloaded`).waitFor();
  await page.getByRole("button", { name: "Ask anthropic/one" }).click();
  await page.getByRole("button", { name: "anthropic/one answers …" }).waitFor();
  await expect.poll(() => requests).toBe(2);
  await page.getByRole("button", { name: "Refuse" }).click();
  await expect.poll(() => hasEnded).toBe(true);
  await page.getByRole("region", { name: "Results" }).waitFor();
});
