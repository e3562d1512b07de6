/** A page of `tenon inspect` in a real browser, over a server of the test; both end with the test. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { onTestFinished, type TestContext } from "vitest";
import { buildInspectorPage } from "../../scripts/inspector-page.mjs";
import { startInspector, type Inspector, type InspectorOptions } from "../../src/inspector/start-inspector.ts";
import type { InspectorTarget } from "../../src/inspector/target/inspector-target.ts";
import { launch } from "../../../tenon/test/runtimes/browser.ts";
import { has, leaveOut } from "../../../tenon/test/support/needs.ts";

/** The files of the page, built once for a file of tests. */
export class PageFiles {
  folder = "";

  async build(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), "inspector-page-"));
    await buildInspectorPage(this.folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface Shown {
  readonly page: Page;
  readonly inspector: Inspector;
  /** Everything that the browser complains about: errors, refusals by the policy. */
  readonly complaints: string[];
  /** Addresses of requests to anything but the page's own process. */
  readonly elsewhere: string[];
}

/** Starts an inspector of these servers; it ends with the test. */
export async function inspect(
  folder: string,
  targets: readonly InspectorTarget[],
  options: Pick<InspectorOptions, "model" | "marksOf"> = {},
): Promise<Inspector> {
  const inspector = await startInspector({ ...options, targets, folder, clientInfo: { name: "inspector-test", version: "1" } });
  onTestFinished(() => inspector.close());
  return inspector;
}

export interface ShowOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}

/** Opens the page. Skips the test where there is no browser. */
export async function show(
  browser: Browser | undefined,
  { skip }: TestContext,
  inspector: Inspector,
  { width = 1280, height = 800, dark = false }: ShowOptions = {},
): Promise<Shown> {
  if (browser === undefined) return leaveOut(["chromium"], { skip });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const [complaints, elsewhere]: string[][] = [[], []];
  page.on("console", (message) => void (["error", "warning"].includes(message.type()) && complaints!.push(message.text())));
  page.on("pageerror", (error) => complaints!.push(error.message));
  page.on("dialog", (dialog) => {
    complaints!.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const origin = `http://127.0.0.1:${inspector.port}/`;
  page.on(
    "request",
    (request) =>
      void (/^(?:blob|data):/.test(request.url()) || request.url().startsWith(origin) || elsewhere!.push(request.url())),
  );
  await page.goto(inspector.address());
  return { page, inspector, complaints: complaints!, elsewhere: elsewhere! };
}

/** A browser if there is one. */
export async function browserOf(): Promise<Browser | undefined> {
  return has("chromium") ? launch() : undefined;
}
