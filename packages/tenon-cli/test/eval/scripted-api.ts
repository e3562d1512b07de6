/** An API of a model over a real socket, whose replies a test scripts: the Responses API of OpenAI, as streams of events. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** What the model does next: it calls a tool, or it says something. */
export type Turn = { readonly call: string; readonly args?: object } | { readonly say: string };

export interface Asked {
  /** The first text of the user. */
  readonly prompt: string;
  /** How many calls the model has made in this conversation. */
  readonly calls: number;
  /** The results that it got, as text. */
  readonly results: readonly string[];
  readonly tools: readonly string[];
  readonly instructions: string | undefined;
  readonly authorization: string | undefined;
}

interface Body {
  readonly input: readonly {
    readonly role?: string;
    readonly content?: string;
    readonly type?: string;
    readonly output?: unknown;
  }[];
  readonly tools: readonly { readonly name: string }[];
  readonly instructions?: string;
}

/** Serves the model. Each reply costs 100 tokens to read and 10 to write. */
export async function scriptedApi(
  reply: (asked: Asked) => Turn | Promise<Turn>,
): Promise<{ env: Record<string, string>; asked: Asked[] }> {
  const asked: Asked[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const one = askedIn(JSON.parse(text) as Body, request.headers.authorization);
    asked.push(one);
    const turn = await reply(one);
    const item =
      "call" in turn
        ? {
            type: "function_call",
            call_id: `c${one.calls}`,
            name: turn.call,
            arguments: JSON.stringify(turn.args ?? {}),
          }
        : { type: "message", content: [{ type: "output_text", text: turn.say }] };
    const events = [
      ...("say" in turn ? [{ type: "response.output_text.delta", delta: turn.say }] : []),
      {
        type: "response.completed",
        response: {
          status: "completed",
          output: [item],
          usage: { input_tokens: 100, output_tokens: 10, total_tokens: 110 },
        },
      },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "key-secret" }, asked };
}

function askedIn({ input, tools, instructions }: Body, authorization: string | undefined): Asked {
  const outputs = input.filter(({ type }) => type === "function_call_output");
  return {
    prompt: input.find(({ role }) => role === "user")?.content ?? "",
    calls: outputs.length,
    results: outputs.map(({ output }) => (typeof output === "string" ? output : JSON.stringify(output))),
    tools: tools.map(({ name }) => name),
    instructions,
    authorization,
  };
}
