// What the page shows of the inside of a call: the steps of its handler, its trace, and the drafts of a model.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { McpServer } from "tenon";
import * as z from "zod";
import { browserOf, inspect, PageFiles, show } from "./support.ts";
import { testServer } from "../../../tenon/test/support/test-server.ts";

const files = new PageFiles();
let browser: Browser | undefined;

beforeAll(async () => {
  [browser] = await Promise.all([browserOf(), files.build()]);
});
afterAll(() => Promise.all([browser?.close(), files.remove()]));

const SPAN = "00f067aa0ba902b7";

function shop(): McpServer {
  // No handler waits in memory, so that each round of a stateless call runs it again.
  const server = testServer({ name: "shop", requestState: { maxSuspended: 0 } });
  server.tool("buy", {}, async (_input, ctx) => {
    await ctx.step("hold", () => "held");
    const { action } = await ctx.elicit("seat", { message: "Which seat?", schema: z.object({ seat: z.enum(["4A", "4B"]) }) });
    await ctx.step("pay", () => "paid");
    return action;
  });
  // As a server with OpenTelemetry does: its messages carry the trace of the call, and a span of its own.
  server.tool("traced", {}, async (_input, ctx) => {
    const [version, trace] = String(ctx.meta["traceparent"]).split("-");
    const _meta = { traceparent: `${version}-${trace}-${SPAN}-01` };
    await ctx.outbound.notify("notifications/message", { level: "warning", data: "packing", _meta });
    return "done";
  });
  server.tool("ask", {}, async (_input, ctx) => {
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "A rhyme on day?" } }];
    const { content, model } = await ctx.sample("rhyme", { messages, maxTokens: 20 });
    return content.type === "text" ? `${content.text} by ${model}` : "";
  });
  return server;
}

async function call(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name: /^Tools/ }).click();
  await page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("button", { name: /^Call/ }).click();
}

describe.each(["2025-11-25", "2026-07-28"] as const)("a server of %s", (revision) => {
  const isStateless = revision === "2026-07-28";
  const target = { name: "shop", typed: "shop.ts", server: shop(), options: { revision } };

  test("a call's rounds show which steps ran and which were replayed, and its result has no trace of that", async (context) => {
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target]));
    await call(page, "buy");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByLabel("4B").check();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("link", { name: /^Tools/ }).click();
    await page.getByRole("option", { name: /^buy/ }).click();
    await page.getByText("✓ done").waitFor();
    const rounds = page.getByRole("list", { name: "Rounds of the call" });
    await rounds.getByText("step pay").waitFor();
    const steps = (await rounds.getByRole("listitem").allInnerTexts()).filter((text) => text.startsWith("step"));
    const [hold, pay] = [expect.stringMatching(/^step hold\s+\d+ ms\s+ran$/), expect.stringMatching(/^step pay\s+\d+ ms\s+ran$/)];
    const again = expect.stringMatching(/^step hold\s+0 ms\s+replayed: /) as string;
    expect(steps).toEqual(isStateless ? [hold, again, pay] : [hold, pay]);
    if (isStateless) expect(await rounds.innerText()).toContain("the handler ran again from its beginning");
    await page.getByRole("tab", { name: "Raw" }).click();
    expect(await page.getByRole("tabpanel").innerText()).not.toContain("dev.tenon/steps");
    expect(complaints).toEqual([]);
  });

  test("a trace that the server continues is a waterfall, with the spans of both and the steps of the call", async (context) => {
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target]));
    await call(page, "traced");
    await page.getByText("✓ done").waitFor();
    await page.getByRole("link", { name: /^Activity/ }).click();
    const spans = page.getByRole("region", { name: "Spans" }).getByRole("listitem");
    await spans.getByText("notifications/message").waitFor();
    expect(await spans.allInnerTexts()).toEqual([
      expect.stringMatching(/^tools\/call traced\s+\d+ ms\s+this page: sent in span [0-9a-f]{16}$/),
      expect.stringMatching(new RegExp(`^notifications/message\\s+0 ms\\s+the server: sent in span ${SPAN}$`)),
    ]);
    expect(complaints).toEqual([]);
  });

  test("a model drafts an answer, which is sent when the user says so; what goes wrong is shown", async (context) => {
    const asked: unknown[] = [];
    const model = {
      name: "scripted/one",
      sample: (params: { readonly [name: string]: unknown }) => {
        asked.push(params["messages"]);
        if (asked.length === 1) return Promise.reject(new Error("the model is asleep"));
        return Promise.resolve({
          role: "assistant",
          content: { type: "text", text: "May" },
          model: "one-1",
          stopReason: "endTurn",
        });
      },
    };
    const { page, complaints } = await show(browser, context, await inspect(files.folder, [target], { model }));
    await call(page, "ask");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("button", { name: "Ask scripted/one" }).click();
    await page.getByText("✗ scripted/one: the model is asleep").waitFor();
    await page.getByRole("button", { name: "Ask scripted/one" }).click();
    const answer = page.getByLabel("Answer of the model");
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "May");
    await answer.fill("Stay");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("✓ done").waitFor();
    expect(await page.getByRole("tabpanel").innerText()).toContain("Stay by one-1");
    expect(asked).toHaveLength(2);
    // The browser itself reports the refused request.
    expect(complaints.filter((text) => !text.includes("400 (Bad Request)"))).toEqual([]);
  });
});
