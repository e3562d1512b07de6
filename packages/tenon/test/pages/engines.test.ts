/** Pages and secrets on each engine, with two nodes that share it: what one asks, the other shows, answers and reads. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { McpServer } from "tenon";
import { secrets, type UserPagesOptions } from "tenon/pages";
import { forget } from "tenon/state";
import { memoryStores } from "tenon/stores/memory";
import type { Stores } from "tenon/stores/redis";
import { assertStarted, ENGINES, startEngine, type Engine } from "../stores/engines.ts";
import { ISSUER, KEYS, PageBrowser, pageIn, SECRET, site, type PagesSite } from "./support.ts";

const ADA = { issuer: ISSUER, subject: "ada" };
const yes = { choice: "yes", secret: SECRET };

function addTools(server: McpServer): void {
  server.tool("key", {}, async (_input, ctx) => `${(await ctx.secret("github", { message: "A token" })).length} read`);
  server.tool("remove", { confirm: "Delete all?" }, () => "removed");
}

/** The same page, as the other node serves it. */
function at({ endpoint }: PagesSite, page: string): string {
  const url = new URL(page);
  url.host = new URL(endpoint.url).host;
  return url.href;
}

describe.each(["memory", ...ENGINES] as const)("%s", (name) => {
  let engine: Engine | undefined;
  let spaces = 0;
  beforeAll(async () => void (engine = name === "memory" ? undefined : await startEngine(name)));
  afterAll(() => engine?.stop());

  /** Two nodes, and what they share. */
  async function nodes(
    context: Parameters<typeof assertStarted>[2],
    pages: UserPagesOptions = {},
  ): Promise<readonly [PagesSite, PagesSite, Stores["keyed"]]> {
    const stores = name === "memory" ? memoryStores() : assertStarted(engine, name, context).stores(`pages${++spaces}`);
    onTestFinished(() => stores.close());
    const options = { pages: { keys: KEYS, ...pages }, requestState: { keys: KEYS } };
    const both = [await site(addTools, options, { stores }), await site(addTools, options, { stores })] as const;
    return [...both, stores.keyed];
  }

  test("a key asked for at one node is given at the other, read by both, asked again once revoked or gone", async (context) => {
    const [one, other, store] = await nodes(context);
    const [here, there] = [await one.client("ada"), await other.client("ada")];
    const give = async (): Promise<void> => {
      const page = pageIn((await here.callTool("key")).text);
      expect((await new PageBrowser("mallory").open(at(other, page))).status).toBe(403);
      expect((await new PageBrowser("ada").answer(at(other, page), yes)).status).toBe(200);
      expect((await new PageBrowser("ada").open(page)).status).toBe(400);
      for (const client of [here, there]) expect((await client.callTool("key")).text).toBe(`${SECRET.length} read`);
    };
    await give();
    expect(await secrets.names(ADA, { store })).toEqual(["github"]);
    expect(await secrets.revoke(ADA, "github", { store })).toBe(true);
    await give();
    await secrets.forget(ADA, { store });
    await give();
    await forget(ADA, { store });
    expect(await secrets.names(ADA, { store })).toEqual([]);
    await give();
  });

  test("a call that waits at one node goes on when its page is answered at the other; the yes counts once", async (context) => {
    const [one, other] = await nodes(context);
    for (const [tool, fields, text] of [
      ["key", yes, `${SECRET.length} read`],
      ["remove", { choice: "yes" }, "removed"],
    ] as const) {
      let page = "";
      const ada = await one.client("ada", {
        elicitationModes: ["url"],
        onElicit: async (question) => {
          page = at(other, (question as { url: string }).url);
          expect((await new PageBrowser("ada").answer(page, fields)).status).toBe(200);
          return { action: "accept" };
        },
      });
      expect((await ada.callTool(tool)).text).toBe(text);
      expect((await new PageBrowser("ada").open(page)).status).toBe(400);
    }
    expect((await (await other.client("ada")).callTool("remove")).text).toContain("say yes first");
  });

  test("a key, a page and a yes end at their time, on both nodes", async (context) => {
    const [one, other] = await nodes(context, { secretTtl: 1_500, ttl: 1_500 });
    const [here, there] = [await one.client("ada"), await other.client("ada")];
    const isAsked = async (tool: string): Promise<boolean> =>
      ((await there.callTool(tool)).text ?? "").includes("Ask the user to open");
    const page = pageIn((await here.callTool("remove")).text);
    await expect.poll(async () => (await new PageBrowser("ada").open(at(other, page))).status, { timeout: 30_000 }).toBe(400);
    await new PageBrowser("ada").answer(pageIn((await here.callTool("key")).text), yes);
    await expect.poll(() => isAsked("key"), { timeout: 30_000 }).toBe(true);
    const late = new PageBrowser("ada");
    const shown = await late.open(pageIn((await here.callTool("key")).text));
    await expect.poll(async () => (await late.open(shown.url)).status, { timeout: 30_000 }).toBe(400);
    expect((await late.send(shown, yes)).status).toBe(400);
  });
});
