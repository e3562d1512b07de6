// `--model`: requests to a scripted API of a model, over a real socket.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { modelOf } from "./model.ts";

afterEach(() => vi.unstubAllEnvs());

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: { readonly [name: string]: unknown };
}

/** An API that gives the same reply to each request. */
async function api(status: number, reply: object): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push({ path: request.url, headers: request.headers, body: JSON.parse(body) as Received["body"] });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const QUESTION = {
  messages: [{ role: "user", content: { type: "text", text: "A rhyme on day?" } }],
  systemPrompt: "Be brief.",
  maxTokens: 20,
};
const ask = async (typed: string): Promise<unknown> =>
  modelOf(typed, process.env)!.sample(QUESTION, new AbortController().signal);

test("a model of Anthropic answers, with the key of the environment", async () => {
  const { url, received } = await api(200, {
    model: "claude-x",
    stop_reason: "end_turn",
    content: [{ type: "text", text: "May" }],
  });
  vi.stubEnv("ANTHROPIC_API_KEY", "key-1");
  vi.stubEnv("ANTHROPIC_BASE_URL", `${url}/`);
  expect(await ask("anthropic/claude-x")).toEqual({
    role: "assistant",
    model: "claude-x",
    content: { type: "text", text: "May" },
    stopReason: "endTurn",
  });
  expect(received).toMatchObject([
    {
      path: "/v1/messages",
      headers: { "x-api-key": "key-1", "anthropic-version": expect.stringMatching(/^\d{4}-/) as string },
      body: { model: "claude-x", max_tokens: 20, system: "Be brief.", messages: [{ role: "user" }] },
    },
  ]);
});

test("a model of OpenAI, or of a server of one's own without a key, answers", async () => {
  const { url, received } = await api(200, {
    model: "own",
    output: [{ type: "message", content: [{ type: "output_text", text: "May" }] }],
  });
  vi.stubEnv("OPENAI_API_KEY", undefined);
  vi.stubEnv("OPENAI_BASE_URL", `${url}/v1`);
  expect(await ask("openai/team/own")).toMatchObject({ model: "own", content: { type: "text", text: "May" } });
  expect(received).toMatchObject([{ path: "/v1/responses", body: { model: "team/own", instructions: "Be brief." } }]);
  expect(received[0]?.headers).not.toHaveProperty("authorization");
});

test("an error has the words of the API, and not the key", async () => {
  const { url } = await api(401, { error: { message: "invalid x-api-key" } });
  vi.stubEnv("ANTHROPIC_API_KEY", "key-secret");
  vi.stubEnv("ANTHROPIC_BASE_URL", url);
  const failure = await ask("anthropic/claude-x").then(() => "", String);
  expect(failure).toBe(`Error: ${new URL(url).host} answered with status 401: invalid x-api-key`);
});

test("an error does not repeat the key, whatever the API says", async () => {
  const { url } = await api(401, { error: { message: "Incorrect key: key-secret. Is key-secret yours?" } });
  vi.stubEnv("OPENAI_API_KEY", "key-secret");
  vi.stubEnv("OPENAI_BASE_URL", url);
  const failure: unknown = await ask("openai/own").catch((error: unknown) => error);
  expect(String(failure)).toContain("Incorrect key: (the key). Is (the key) yours?");
  expect(inspect(failure)).not.toContain("key-secret");
});

test.each(["key-secret\nX", "key-secret\r", " key-secret", "key-sécret"])(
  "a key that no header holds is refused without its text: %j",
  (key) => {
    vi.stubEnv("ANTHROPIC_API_KEY", key);
    expect(() => modelOf("anthropic/x", process.env)).toThrow(
      /^ANTHROPIC_API_KEY has characters that no key has, such as a space or a line break\.$/,
    );
  },
);

test.each(["http://user:key-secret@127.0.0.1", "key-secret", "file:///key-secret"])(
  "an address with a secret is refused without its text: %s",
  (base) => {
    vi.stubEnv("OPENAI_BASE_URL", base);
    expect(() => modelOf("openai/x", process.env)).toThrow(
      /^OPENAI_BASE_URL must be a URL that begins with https: or http:, without user name and password\.$/,
    );
  },
);

test.each([
  ["claude", "--model claude names no model: write anthropic/<model>, or openai/<model>, or google/<model>."],
  ["other/one", "--model other/one names no model"],
  ["anthropic/claude-x", "--model anthropic/claude-x needs a key: set ANTHROPIC_API_KEY first."],
])("--model %s is refused", (typed, why) => {
  for (const name of ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"]) vi.stubEnv(name, undefined);
  expect(() => modelOf(typed, process.env)).toThrow(why);
});

test("without the option all questions are answered by hand", () => {
  expect(modelOf(undefined, process.env)).toBeUndefined();
});
