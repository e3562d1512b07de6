// Ten servers that are broken in the commonest ways: `doctor`, `list`, `gateway check` and the page of `inspect` say the same of
// each, with the same remedy. Needs a build.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, onTestFinished, test, vi } from "vitest";
import { sharedBrowser } from "../../../tenon/test/runtimes/browser.ts";
import { configFile } from "../../../tenon/test/gateway/support.ts";
import { runCommand } from "../cli/run-command.ts";
import type { RunOptions } from "../cli/start-command.ts";
import { BROKEN, type Broken } from "./broken-servers.ts";

// Several commands a test, on machines that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const browserFor = sharedBrowser();
const SHOTS = fileURLToPath(new URL("../../../../out/screenshots/broken", import.meta.url));
const VIEWS = ["Overview", "Tools", "Resources", "Prompts", "Wire", "Asked", "Activity", "Access", "Recording"];
const BUTTONS = { login: "Log in", examine: "Examine", connect: "Connect again" } as const;

interface Case extends Broken {
  /** The words that name the server for a command. */
  readonly words: readonly string[];
  readonly user: RunOptions;
  readonly file: string;
}

async function broken(name: string): Promise<Case> {
  const made = await BROKEN[name]!();
  for (const [variable, value] of Object.entries(made.env ?? {})) vi.stubEnv(variable, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { server } = made;
  const entry = typeof server === "string" ? { url: server } : { command: server[0], args: server.slice(1) };
  const { file, user } = await configFile({ mcpServers: { a: entry } });
  return { ...made, words: typeof server === "string" ? [server] : ["--", ...server], file, user };
}

interface Said {
  readonly problem: string;
  readonly remedy: string;
}

async function saidByDoctor({ words, user }: Case): Promise<Said> {
  const { stdout } = await runCommand(["doctor", "--json", "--timeout", "1500", ...words], user);
  const { failed, hops } = JSON.parse(stdout) as { failed: string | null; hops: { hop: string; detail: string; fix: string }[] };
  const hop = hops.find((one) => one.hop === failed);
  if (hop !== undefined) return { problem: hop.detail, remedy: hop.fix };
  const text = await runCommand(["doctor", ...words], user);
  const [, problem = "", remedy = ""] = /without a login: (.*?)\. (.*)\n$/.exec(text.stdout) ?? [];
  return { problem, remedy };
}

async function saidByList({ words, user }: Case): Promise<Said> {
  const { stdout } = await runCommand(["list", "--json", "--timeout", "1500", ...words], user);
  const { error } = JSON.parse(stdout) as { error: { message: string; data: Partial<Said> } };
  const { problem = error.message, remedy = error.message } = error.data;
  return { problem, remedy };
}

async function saidByGateway({ file, user }: Case): Promise<Said> {
  const { stdout, code } = await runCommand(["gateway", "check", "--yes", "--json", file], user);
  expect(code).toBe(1);
  return (JSON.parse(stdout) as { servers: [Said] }).servers[0];
}

test.each(Object.keys(BROKEN))(
  "of a server that %s doctor, list and gateway check say the same, with its remedy [P2 s3 s4]",
  async (name) => {
    const made = await broken(name);
    const { problem, remedy, gatewayRemedy = remedy } = made;
    const [doctor, list, gateway] = [await saidByDoctor(made), await saidByList(made), await saidByGateway(made)];
    expect(doctor.problem).toMatch(problem);
    expect(list.problem).toMatch(problem);
    expect(gateway.problem).toMatch(problem);
    expect([doctor.remedy, gateway.remedy]).toEqual([remedy, gatewayRemedy]);
    expect(list.remedy).toContain(remedy);
  },
);

/** Opens the page of `tenon inspect`, and interrupts the command afterwards. */
async function openPage({ words, user }: Case, page: Page, look: () => Promise<void>): Promise<void> {
  let looking: Promise<unknown> | undefined;
  await runCommand(["inspect", "--no-open", "--json", "--timeout", "1500", ...words], {
    ...user,
    onStdout: (text, kill) => {
      if (!text.includes("\n")) return;
      const { url } = JSON.parse(text) as { url: string };
      looking ??= page.goto(url).then(look).catch((error: unknown) => error).finally(() => kill("SIGINT")); // prettier-ignore
    },
  });
  const failure = await looking;
  if (failure instanceof Error) throw failure;
}

test.for(Object.keys(BROKEN))(
  "the page of a server that %s opens on what is wrong, its remedy and one button, in every view [P1]",
  async (name, { skip }) => {
    const made = await broken(name);
    const context = await browserFor({ skip }).newContext({ viewport: { width: 1280, height: 800 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    mkdirSync(SHOTS, { recursive: true });
    const shoot = (what: string): Promise<unknown> =>
      page.screenshot({ path: join(SHOTS, `${name.replaceAll(/\W+/g, "-")}-${what}.png`), animations: "disabled" });
    await openPage(made, page, async () => {
      const region = page.getByRole("alert", { name: "What is wrong" });
      await region.waitFor();
      if (made.stderr !== undefined)
        expect(await region.getByLabel("The end of its stderr").textContent()).toContain(made.stderr);
      for (const view of VIEWS) {
        await page.getByRole("link", { name: new RegExp(`^${view}`) }).click();
        const said = (await region.textContent()) ?? "";
        expect(said).toMatch(made.problem);
        expect(said).toContain(made.remedy);
        expect(await region.getByRole("button").allInnerTexts()).toEqual([BUTTONS[made.action ?? "connect"]]);
        expect(await page.getByText("The server has no").count()).toBe(0);
        if (view === "Tools" || view === "Recording") await shoot(view.toLowerCase());
      }
      // Once, however often the program was started.
      if (made.stderr !== undefined) expect(await region.getByLabel("The end of its stderr").textContent()).toBe(made.stderr);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole("link", { name: /^Tools/ }).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await shoot("narrow");
      await page.emulateMedia({ colorScheme: "dark" });
      await shoot("narrow-dark");
      await page.setViewportSize({ width: 1280, height: 800 });
      await shoot("dark");
    });
  },
);
