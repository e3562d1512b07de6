/** Asking by hand: `inputRequired()` on tools, prompts and resources, in results or as requests, as the revision has it. */
import { describe, expect, it } from "vitest";
import {
  inputRequired,
  type McpServer,
  UrlElicitationRequiredError,
  type ConnectOptions,
  type InputRequests,
  type RequestContext,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { open } from "../support/matrix.ts";
import { describeAsking } from "./ways.ts";
import { testServer } from "../support/test-server.ts";

const NAME: InputRequests = {
  name: {
    method: "elicitation/create",
    params: {
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  },
};
const ada: ConnectOptions = { onElicit: () => ({ action: "accept", content: { name: "Ada" } }) };

/** Asks for a name with a state that counts, until there is one. */
function askForName({ inputResponses, requestState }: RequestContext): ReturnType<typeof inputRequired> | string {
  const answer = inputResponses["name"];
  if (answer === undefined || !("action" in answer)) return inputRequired({ inputRequests: NAME, requestState: "first" });
  return `${String(answer.content?.["name"])} after ${requestState}`;
}

function createServer(): McpServer {
  const server = testServer({ onError: () => undefined });
  server.tool("greet", {}, (_input, ctx) => askForName(ctx));
  server.prompt("greet", {}, (_input, ctx) => askForName(ctx));
  server.resource("a://greet", {}, (_uri, ctx) => askForName(ctx));
  server.tool("for-ever", {}, () => inputRequired({ inputRequests: NAME }));
  return server;
}

describeAsking("Asking by hand", ({ connect, stateless }) => {
  it("works on every kind, with its own state [requirement H1 requirement H9 requirement H10 requirement H11 K2.7]", async () => {
    const client = await connect(createServer(), ada);
    expect((await client.callTool("greet")).text).toBe("Ada after first");
    expect((await client.getPrompt("greet")).messages[0]?.content).toMatchObject({ text: "Ada after first" });
    expect((await client.readResource("a://greet")).contents[0]).toMatchObject({ text: "Ada after first" });
  });

  it("nothing is asked of a client that cannot answer [requirement H4 A6.1]", async () => {
    const client = await connect(createServer());
    for (const call of [client.callTool("greet"), client.getPrompt("greet"), client.readResource("a://greet")]) {
      await expect(call).rejects.toMatchObject({ code: stateless ? -32021 : -32600 });
    }
  });

  it("a handler that asks for ever is stopped [requirement H16 U5]", async () => {
    let answered = 0;
    const client = await connect(createServer(), { ...ada, onElicit: () => (answered++, { action: "cancel" }) });
    const failure = await failureOf(client.callTool("for-ever"));
    expect(failure).toMatchObject({ data: stateless ? { limit: "limits.maxRounds", max: 10 } : { limit: "rounds", max: 8 } });
    expect(answered).toBe(stateless ? 10 : 8);
  });
});

it("a handler that asks on and on is stopped after 100 rounds, if its client answers all [requirement H16]", async () => {
  const server = testServer({ onError: () => undefined });
  server.tool("quiz", {}, async (_input, ctx) => {
    for (let n = 0; ; n++) await ctx.confirm(`q${n}`, "More?");
  });
  let answered = 0;
  const onElicit: ConnectOptions["onElicit"] = () => (answered++, { action: "accept", content: { confirmed: true } });
  const client = await open("direct", server, { onElicit, limits: { maxRounds: 1_000 }, revision: "2026-07-28" });
  expect(await failureOf(client.callTool("quiz"))).toMatchObject({ data: { limit: "rounds", max: 100 } });
  expect(answered).toBe(100);
  await client.close();
});

describe("Pages that must be visited first", () => {
  const page = { mode: "url", message: "Sign in", url: "https://example.com/in", elicitationId: "e1" } as const;
  function createPages(): McpServer {
    const server = testServer({ onError: () => undefined });
    let visits = 0;
    server.tool("private", {}, async () => {
      await Promise.resolve();
      if (visits++ === 0) throw new UrlElicitationRequiredError([page]);
      return "in";
    });
    return server;
  }

  it("are an error on 2025-11-25 [L1.8]", async () => {
    const client = await open("direct", createPages(), { ...ada, limits: { maxRounds: 0 }, revision: "2025-11-25" });
    const failure = await failureOf(client.callTool("private"));
    expect(failure).toBeInstanceOf(UrlElicitationRequiredError);
    expect(failure).toMatchObject({ elicitations: [page] });
    await client.close();
  });

  it("are questions on 2026-07-28 [L1.8]", async () => {
    const seen: unknown[] = [];
    const onElicit: ConnectOptions["onElicit"] = (params) => (seen.push(params), { action: "accept" });
    const client = await open("direct", createPages(), { onElicit, revision: "2026-07-28" });
    expect((await client.callTool("private")).text).toBe("in");
    expect(seen).toEqual([{ mode: "url", message: "Sign in", url: "https://example.com/in" }]);
    await client.close();
  });
});

describe("Pages as questions over a back-channel (2025-11-25)", () => {
  it("each has an id of its own, unless the handler gave it one [CF-15 L1.8]", async () => {
    const page = (more: object): InputRequests[string] =>
      ({
        method: "elicitation/create",
        params: { mode: "url", message: "Sign in", url: "https://example.com/in", ...more },
      }) as InputRequests[string];
    const server = testServer({ onError: () => undefined });
    server.tool("visit", {}, (_input, { inputResponses }) =>
      "a" in inputResponses
        ? "visited"
        : inputRequired({ inputRequests: { a: page({}), b: page({}), c: page({ elicitationId: "mine" }) } }),
    );
    const ids: unknown[] = [];
    const onElicit: ConnectOptions["onElicit"] = (params) => {
      ids.push("elicitationId" in params ? params.elicitationId : undefined);
      return { action: "accept" };
    };
    const client = await open("direct", server, { onElicit, revision: "2025-11-25" });
    expect((await client.callTool("visit")).text).toBe("visited");
    expect(ids).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), expect.stringMatching(/^[\da-f-]{36}$/), "mine"]);
    expect(new Set(ids).size).toBe(3);
    await client.close();
  });
});
