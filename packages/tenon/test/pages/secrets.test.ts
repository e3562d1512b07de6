/** `ctx.secret`: a user gives a key once, on a page of the endpoint, and nobody but the handler sees it. */
import { describe, expect, test } from "vitest";
import { connect, type McpServer } from "tenon";
import { secrets, userPages } from "tenon/pages";
import { forget } from "tenon/state";
import { describeAsking } from "../asking/ways.ts";
import { describeInProcess, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";
import { ISSUER, PageBrowser, pageIn, SECRET, site } from "./support.ts";

const message = "A token that reads issues";

function addList(server: McpServer, read: string[] = []): void {
  server.tool("list", {}, async (_input, ctx) => {
    const secret = await ctx.secret("github", { message });
    read.push(secret);
    return `asked with ${secret.length} characters`;
  });
}

const yes = { choice: "yes", secret: SECRET };
const DONE = `asked with ${SECRET.length} characters`;

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of %s that opens pages", (revision) => {
  test("is asked once; then the key is there for this user, and for no other", async () => {
    const read: string[] = [];
    const { client } = await site((server) => addList(server, read));
    const pages: string[] = [];
    const opener = (user: string) => ({
      revision,
      elicitationModes: ["url"] as const,
      onElicit: async (question: { mode?: string; url?: string; message: string }) => {
        expect([question.mode, question.message]).toEqual(["url", message]);
        pages.push(question.url!);
        expect((await new PageBrowser(user).answer(question.url!, { ...yes, secret: `${SECRET}${user}` })).status).toBe(200);
        return { action: "accept" as const };
      },
    });
    const ada = await client("ada", opener("ada") as never);
    for (let call = 0; call < 2; call++) expect((await ada.callTool("list")).text).toContain("asked with");
    const bob = await client("bob", opener("bob") as never);
    await bob.callTool("list");
    expect(pages).toHaveLength(2);
    expect(read).toEqual([`${SECRET}ada`, `${SECRET}ada`, `${SECRET}bob`]);
  });

  test("waits for the user, who answers after the client has gone on", async () => {
    const { client } = await site(addList);
    let answered: Promise<unknown> | undefined;
    const ada = await client("ada", {
      revision,
      elicitationModes: ["url"],
      onElicit: (question) => {
        answered = new Promise((resolve) => setTimeout(resolve, 50)).then(() =>
          new PageBrowser("ada").answer((question as { url: string }).url, yes),
        );
        return { action: "accept" };
      },
    });
    expect((await ada.callTool("list")).text).toBe(DONE);
    await answered;
  });

  test("gets an error in words if its user declines, or cancels on the page", async () => {
    const { client } = await site(addList);
    const ada = await client("ada", { revision, elicitationModes: ["url"], onElicit: () => ({ action: "decline" }) });
    const refused = { isError: true, text: 'The user did not give "github" to "issues".' };
    expect(await ada.callTool("list")).toMatchObject(refused);
    const cancels = await client("ada", {
      revision,
      elicitationModes: ["url"],
      onElicit: async (question) => {
        await new PageBrowser("ada").answer((question as { url: string }).url, { choice: "no", secret: SECRET });
        return { action: "accept" };
      },
    });
    expect(await cancels.callTool("list")).toMatchObject(refused);
  });
});

describe.each(REVISIONS)("a client of %s that opens no pages", (revision) => {
  test("gets the address in words, once and the same page again, and the key is there afterwards", async () => {
    const { client } = await site(addList);
    const ada = await client("ada", {
      revision,
      elicitationModes: ["form"],
      onElicit: () => ({ action: "accept", content: {} }),
    });
    const [first, second] = [await ada.callTool("list"), await ada.callTool("list")];
    expect(first).toMatchObject({
      isError: true,
      text: expect.stringContaining('The user has to give "github" to "issues" first') as string,
    });
    expect((await new PageBrowser("ada").answer(pageIn(first.text), yes)).status).toBe(200);
    expect((await new PageBrowser("ada").answer(pageIn(second.text), yes)).status).toBe(400);
    expect((await ada.callTool("list")).text).toBe(DONE);
  });
});

test("a client without a session, of which nothing is known, gets the address in words", async () => {
  const { client } = await site(addList, {}, { sessions: false });
  const ada = await client("ada", { revision: "2025-11-25", elicitationModes: ["url"], onElicit: () => ({ action: "accept" }) });
  await new PageBrowser("ada").answer(pageIn((await ada.callTool("list")).text), yes);
  expect((await ada.callTool("list")).text).toBe(DONE);
});

describeInProcess("a server on this machine", ({ connect: open }) => {
  test("opens the page in a browser, which needs no login", async () => {
    const opened: string[] = [];
    const server = testServer({
      name: "issues",
      pages: userPages({
        open: async (url) => {
          opened.push(url.href);
          await new PageBrowser().answer(url.href, yes);
        },
      }),
    });
    addList(server);
    const client = await open(server);
    for (let call = 0; call < 2; call++) expect((await client.callTool("list")).text).toBe(DONE);
    expect(opened).toHaveLength(1);
    expect(new URL(opened[0]!).hostname).toBe("127.0.0.1");
    await server.close();
    await expect(fetch(opened[0]!)).rejects.toThrow("fetch failed");
  });
});

describeAsking("a secret", ({ connect: open }) => {
  test("is refused without pages, and says which option is missing", async () => {
    const errors: string[] = [];
    const server = testServer({ onError: (error) => void errors.push(String(error)) });
    addList(server);
    expect((await (await open(server)).callTool("list")).isError).toBe(true);
    expect(errors.join()).toContain("new McpServer(info, { pages: userPages({ … }) })");
  });
});

describe("who has a secret", () => {
  const named = { issuer: ISSUER, subject: "ada" };

  test("is asked for a user only: a call over a network without a login fails", async () => {
    const errors: string[] = [];
    const { endpoint } = await site(
      addList,
      { onError: (error) => void errors.push(String(error)) },
      { auth: undefined as never },
    );
    const client = await connect(endpoint.url);
    expect((await client.callTool("list")).isError).toBe(true);
    await client.close();
    expect(errors.join()).toContain("came without a login");
    expect(errors.join()).not.toContain("session");
  });

  test("names, revokes by name, and forgets; then the user is asked again", async () => {
    const { client } = await site(addList);
    const ada = await client("ada");
    const give = async (): Promise<void> => {
      await new PageBrowser("ada").answer(pageIn((await ada.callTool("list")).text), yes);
      expect((await ada.callTool("list")).text).toBe(DONE);
    };
    await give();
    expect(await secrets.names(named)).toEqual(["github"]);
    expect(await secrets.revoke({ issuer: ISSUER, subject: "carl" }, "github")).toBe(false);
    expect(await secrets.revoke(named, "other")).toBe(false);
    expect((await ada.callTool("list")).text).toBe(DONE);
    expect(await secrets.revoke(named, "github")).toBe(true);
    await give();
    await secrets.forget(named);
    await give();
    await forget(JSON.stringify([ISSUER, "ada", "ide"]));
    expect(await secrets.names(named)).toEqual([]);
    await give();
  });

  test.each<[string, string, object]>([
    ["a name with a line break", "git\r\nhub", { message }],
    ["a name that is too long", "x".repeat(65), { message }],
    ["no message", "github", {}],
    ["a long message", "github", { message: "x".repeat(2_001) }],
    ["an option that does not exist", "github", { message, schema: {} }],
  ])("refuses %s", async (_what, name, options) => {
    const errors: string[] = [];
    const server = testServer({ pages: userPages(), onError: (error) => void errors.push(String(error)) });
    server.tool("ask", {}, (_input, ctx) => ctx.secret(name, options as { message: string }));
    const client = await connect(server);
    expect((await client.callTool("ask")).isError).toBe(true);
    await client.close();
    expect(errors.join()).toMatch(/RangeError|TypeError/);
  });
});
