// The programs of `examples/models` run as a reader runs them, against a model that follows a script, so without a network. Each
// is on the page docs/clients/models.md or models-programs.md, letter by letter.
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { docProject, type DocProject } from "../support/doc-project.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const folder = join(root, "examples", "models");
const files = readdirSync(folder).sort();
const read = (file: string): string => readFileSync(join(folder, file), "utf8");
const page = ["models.md", "models-programs.md"]
  .map((name) => readFileSync(join(root, "docs", "clients", name), "utf8"))
  .join("\n");

let project: DocProject;

beforeAll(async () => {
  const blocks = files.map((file) => ({ file: `0/${file}`, code: read(file), line: 1 }));
  project = await docProject("models", new Map([["models.md", { blocks, commands: [], json: [] }]]));
});

test.each(files)("the page shows %s as it is", (file) => {
  expect(page).toContain(`\n${read(file)}\`\`\`\n`);
});

/** A tool that the model calls. */
interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly input: object;
}
/** Writes the body of a model's response: calls of tools, or its last words. */
type Responses = (calls: readonly ModelCall[], words: string) => object;

const openAi: Responses = (calls, words) => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "scripted",
  status: "completed",
  output:
    calls.length > 0
      ? calls.map(({ id, name, input }) => ({
          type: "function_call",
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: JSON.stringify(input),
          status: "completed",
        }))
      : [
          {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: words, annotations: [] }],
          },
        ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});
/** The same as a stream. */
const openAiStream: Responses = (calls, words) => {
  const delta = words === "" ? [] : [{ type: "response.output_text.delta", delta: words }];
  return [...delta, { type: "response.completed", response: openAi(calls, words) }];
};
const anthropic: Responses = (calls, words) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "scripted",
  content: calls.length > 0 ? calls.map((call) => ({ type: "tool_use", ...call })) : [{ type: "text", text: words }],
  stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
});

const openAiChat: Responses = (calls, words) => ({
  id: "chat_1",
  object: "chat.completion",
  created: 1,
  model: "scripted",
  choices: [
    {
      index: 0,
      finish_reason: calls.length > 0 ? "tool_calls" : "stop",
      message: {
        role: "assistant",
        content: words,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
      },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const gemini: Responses = (calls, words) => ({
  candidates: [
    {
      content: {
        role: "model",
        parts:
          calls.length > 0
            ? calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input }, thoughtSignature: "c2lnbmVk" }))
            : [{ text: words }],
      },
      finishReason: "STOP",
    },
  ],
});

const ADD: ModelCall = { id: "call_1", name: "add", input: { a: 1, b: 2 } };
const WRONG: ModelCall = { id: "call_2", name: "add", input: { a: "one", b: 2 } };
const UNKNOWN: ModelCall = { id: "call_3", name: "subtract", input: {} };

/** A model that calls those tools and then ends. Resolves to its URL and the requests that it gets, as JSON. */
async function scriptedModel(responses: Responses, calls: readonly ModelCall[]): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
    requests.push(body);
    const next = requests.length === 1 ? responses(calls, "") : responses([], "It is 3.");
    if (!Array.isArray(next)) return response.setHeader("content-type", "application/json").end(JSON.stringify(next));
    const events = (next as object[]).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    return response.setHeader("content-type", "text/event-stream").end(events.join(""));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }; // it listens on a port
}

/** Runs a program of the page against that model; resolves to what it prints. */
function ask(file: string, url: string): Promise<string> {
  const variables = {
    OPENAI_BASE_URL: url,
    OPENAI_API_KEY: "none",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: "none",
  };
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return project.run("models.md", {
    command: `${settings.join(" ")} npx tsx ${file} "What is 1 + 2?"`,
    output: "",
    folder: "0",
    line: 1,
  });
}

describe.each([
  ["openai.ts", openAi],
  ["anthropic.ts", anthropic],
  ["ai-sdk.ts", openAi],
  ["gemini.ts", gemini],
  ["langchain.ts", openAiChat],
  ["loop.ts", openAiStream],
] as const)("%s", (file, responses) => {
  test("offers the tools, calls the one that the model names, and gives the model its result", async () => {
    const { url, requests } = await scriptedModel(responses, [ADD]);
    expect(await ask(file, url)).toBe("It is 3.\n");
    expect(requests).toHaveLength(2);
    expect(requests[0]).toContain("What is 1 + 2?");
    expect(requests[0]).toMatch(/"name":"add","description":"Add two numbers".*"required":\["a","b"\]/);
    // the API refuses the turn without it
    if (file === "gemini.ts") expect(requests[1]).toContain('"thoughtSignature":"c2lnbmVk"');
    expect(requests[1]).toMatch(/"call_1".*"3"/);
  });

  test("gives the model the reason of a call that fails", async () => {
    const { url, requests } = await scriptedModel(responses, [WRONG, UNKNOWN]);
    expect(await ask(file, url)).toBe("It is 3.\n");
    expect(requests).toHaveLength(2);
    // LangChain checks the arguments before the call, and says it in its own words.
    const reason = 'Invalid arguments for tool \\"add\\": a: Invalid input: expected number, received string';
    expect(requests[1]).toContain(file === "langchain.ts" ? "did not match expected schema" : reason);
    expect(requests[1]).toContain("subtract");
  });
});
