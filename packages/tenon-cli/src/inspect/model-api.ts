/**
 * `--model provider/name`: the API of a model, with the key and the address that the environment has, and requests to it.
 *
 * Security: the key goes to the API only, and is in no error.
 */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { inspect } from "node:util";
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import { UsageError } from "../failure.ts";
import type { Environment } from "../shell.ts";

export type ApiName = "anthropic" | "openai" | "google";

interface Api {
  /** The variables that its own SDK reads. */
  readonly key: string;
  readonly base: string;
  readonly usual: string;
  headers(key: string): object;
}

const ANTHROPIC_VERSION = ["2023", "06", "01"].join("-"); // no revision of this protocol

/** Characters of the shortest key that is kept out of errors. */
const MIN_SECRET = 8;

const APIS: ReadonlyMap<string, Api> = new Map(
  Object.entries({
    anthropic: {
      key: "ANTHROPIC_API_KEY",
      base: "ANTHROPIC_BASE_URL",
      usual: "https://api.anthropic.com",
      headers: (key) => ({ ...(key !== "" && { "x-api-key": key }), "anthropic-version": ANTHROPIC_VERSION }),
    },
    openai: {
      key: "OPENAI_API_KEY",
      base: "OPENAI_BASE_URL",
      usual: "https://api.openai.com/v1",
      headers: (key) => (key === "" ? {} : { authorization: `Bearer ${key}` }),
    },
    google: {
      key: "GEMINI_API_KEY",
      base: "GOOGLE_GEMINI_BASE_URL",
      usual: "https://generativelanguage.googleapis.com",
      headers: (key) => (key === "" ? {} : { "x-goog-api-key": key }),
    },
  } satisfies Record<ApiName, Api>),
);

export interface ModelApi {
  readonly api: ApiName;
  readonly model: string;
  readonly base: string;
  readonly headers: object;
  readonly key: string;
}

/** @throws UsageError for an unknown provider, or without its key */
export function modelApiOf(typed: string, env: Environment): ModelApi {
  const [, name = "", model = ""] = /^([^/]+)\/(.+)$/.exec(typed) ?? [];
  const api = APIS.get(name);
  if (api === undefined)
    throw new UsageError(`--model ${typed} names no model: write ${[...APIS.keys()].map((one) => `${one}/<model>`).join(", or ")}.`);
  const { [api.key]: key = "", [api.base]: typedBase } = env;
  // A server of one's own, such as a local one, may need no key.
  if (key === "" && !typedBase) throw new UsageError(`--model ${typed} needs a key: set ${api.key} first.`);
  // Errors of `fetch` quote what a header or a URL cannot hold.
  if (!/^[\x21-\x7E]*$/.test(key)) throw new UsageError(`${api.key} has characters that no key has, such as a space or a line break.`);
  return { api: name as ApiName, model, key, base: baseOf(api, typedBase || api.usual), headers: api.headers(key) }; // a key of the table
}

/** @throws UsageError, which does not quote the URL, because it may hold a password */
function baseOf({ base }: Api, typed: string): string {
  const url = URL.canParse(typed) ? new URL(typed) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new UsageError(`${base} must be a URL that begins with https: or http:, without user name and password.`);
  return typed.replace(/\/+$/, "");
}

/** An error without the key: an API may repeat it, and a page shows the error. A short one is no secret: "none", for a server without keys. */
export function withoutKey(error: unknown, key: string): unknown {
  if (key.length < MIN_SECRET || !(error instanceof Error) || !inspect(error).includes(key)) return error;
  return new Error(error.message.replaceAll(key, "(the key)"));
}

export type Poster = (body: object, options?: { signal: AbortSignal }) => Promise<JsonObject>;

/** @throws Error (the function rejects) with what the API says */
export function posterTo(url: string, headers: object): Poster {
  return async (body, options) => {
    const response = await send(url, headers, { body, options });
    const reply: unknown = await response.json().catch(() => undefined);
    if (response.ok && isJsonObject(reply)) return reply;
    throw new Error(refusal(url, response, reply));
  };
}

/** Sends requests whose replies are streams of events. */
export type Streamer = (body: object, options?: { signal: AbortSignal }) => Promise<AsyncIterable<JsonObject>>;

/** @throws Error (the function and the stream reject) with what the API says, without the key */
export function streamerTo(url: string, { headers, key }: Pick<ModelApi, "headers" | "key">): Streamer {
  return async (body, options) => {
    try {
      const response = await send(url, headers, { body, options });
      if (!response.ok || response.body === null) throw new Error(refusal(url, response, await response.json().catch(() => undefined)));
      return eventsOf(response.body);
    } catch (error) {
      throw withoutKey(error, key);
    }
  };
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<JsonObject> {
  const events = body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream());
  for await (const { data } of events as unknown as AsyncIterable<{ data: string }>) {
    if (data === "" || data === "[DONE]") continue; // streams of Node are iterable
    const event: unknown = JSON.parse(data);
    if (isJsonObject(event)) yield event;
  }
}

interface Sent {
  readonly body: object;
  readonly options: { readonly signal: AbortSignal } | undefined;
}

function send(url: string, headers: object, { body, options }: Sent): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    redirect: "error", // the key is for this address only
    ...options,
  });
}

function refusal(url: string, { status }: Response, reply: unknown): string {
  const { error } = isJsonObject(reply) ? reply : {};
  const why = isJsonObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
  return `${new URL(url).host} answered with status ${status}${why}`;
}

/** The members of a request of Google's client, in the places where the API has them. */
export function geminiBody({ contents, config }: GeminiRequest): object {
  const { systemInstruction: text, tools, toolConfig, abortSignal: _, ...generationConfig } = config;
  const systemInstruction = text === undefined ? undefined : { parts: [{ text }] };
  return { contents, systemInstruction, tools, toolConfig, generationConfig };
}

export interface GeminiRequest {
  readonly contents: readonly object[];
  readonly config: { readonly [name: string]: unknown };
}
