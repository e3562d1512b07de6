/**
 * `--model provider/name`: the model that can answer the sampling questions of servers on the page, over the samplers of `tenon/models`.
 *
 * Security: the user names the model at the start, and the page cannot. The key comes from the environment, goes to the API only, and is
 * in no error.
 */
import { inspect } from "node:util";
import type { SampleHandler } from "tenon/client";
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import { type GeminiClient, sampleWithAnthropic, sampleWithGemini, sampleWithOpenAI } from "tenon/models";
import type { InspectorModel } from "../inspector/target/model-drafts.ts";
import { UsageError } from "../failure.ts";
import type { Environment } from "../shell.ts";

interface Provider {
  /** The variables that its own SDK reads. */
  readonly key: string;
  readonly base: string;
  readonly usual: string;
  headers(key: string): object;
  sampler(base: string, headers: object, model: string): SampleHandler;
}

/** The version of Anthropic's API, a date. */
const ANTHROPIC_VERSION = ["2023", "06", "01"].join("-"); // no revision of this protocol

/** Characters of the shortest key that is kept out of errors. */
const MIN_SECRET = 8;

const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  [
    "anthropic",
    {
      key: "ANTHROPIC_API_KEY",
      base: "ANTHROPIC_BASE_URL",
      usual: "https://api.anthropic.com",
      headers: (key) => ({ ...(key !== "" && { "x-api-key": key }), "anthropic-version": ANTHROPIC_VERSION }),
      sampler: (base, headers, model) => sampleWithAnthropic({ messages: { create: posterTo(`${base}/v1/messages`, headers) } }, { model }),
    },
  ],
  [
    "openai",
    {
      key: "OPENAI_API_KEY",
      base: "OPENAI_BASE_URL",
      usual: "https://api.openai.com/v1",
      headers: (key) => (key === "" ? {} : { authorization: `Bearer ${key}` }),
      sampler: (base, headers, model) => sampleWithOpenAI({ responses: { create: posterTo(`${base}/responses`, headers) } }, { model }),
    },
  ],
  [
    "google",
    {
      key: "GEMINI_API_KEY",
      base: "GOOGLE_GEMINI_BASE_URL",
      usual: "https://generativelanguage.googleapis.com",
      headers: (key) => (key === "" ? {} : { "x-goog-api-key": key }),
      sampler: (base, headers, model) => {
        const path = `/v1beta/models/${encodeURIComponent(model)}:generateContent`;
        return sampleWithGemini(geminiClient(posterTo(base + path, headers)), { model });
      },
    },
  ],
]);

/** Undefined without `--model`: then all questions are answered by hand. @throws UsageError for an unknown provider, or without its key */
export function modelOf(typed: string | undefined, env: Environment): InspectorModel | undefined {
  if (typed === undefined) return undefined;
  const [, name = "", model = ""] = /^([^/]+)\/(.+)$/.exec(typed) ?? [];
  const provider = PROVIDERS.get(name);
  if (provider === undefined)
    throw new UsageError(`--model ${typed} names no model: write ${[...PROVIDERS.keys()].map((one) => `${one}/<model>`).join(", or ")}.`);
  const { [provider.key]: key = "", [provider.base]: typedBase } = env;
  // A server of one's own, such as a local one, may need no key.
  if (key === "" && !typedBase) throw new UsageError(`--model ${typed} needs a key: set ${provider.key} first.`);
  // Errors of `fetch` quote what a header or a URL cannot hold.
  if (!/^[\x21-\x7E]*$/.test(key)) throw new UsageError(`${provider.key} has characters that no key has, such as a space or a line break.`);
  const base = baseOf(provider, typedBase || provider.usual);
  const sample = provider.sampler(base, provider.headers(key), model);
  return { name: typed, sample: (params, signal) => answerOf(sample, { params, signal, key }) };
}

/** @throws UsageError, which does not quote the URL, because it may hold a password */
function baseOf({ base }: Provider, typed: string): string {
  const url = URL.canParse(typed) ? new URL(typed) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new UsageError(`${base} must be a URL that begins with https: or http:, without user name and password.`);
  return typed.replace(/\/+$/, "");
}

interface Asked {
  readonly params: JsonObject;
  readonly signal: AbortSignal;
  readonly key: string;
}

async function answerOf(sample: SampleHandler, { params, signal, key }: Asked): Promise<JsonObject> {
  try {
    // The codec has checked the params. The samplers use the signal, and nothing else of the context.
    return { ...(await sample(params as never, { signal } as never)) };
  } catch (error) {
    // An API may repeat the key in its error, and the page shows that. A short one is no secret: "none", for a server without keys.
    if (key.length < MIN_SECRET || !(error instanceof Error) || !inspect(error).includes(key)) throw error;
    // oxlint-disable-next-line preserve-caught-error -- the cause repeats the key
    throw new Error(error.message.replaceAll(key, "(the key)"));
  }
}

type Poster = ReturnType<typeof posterTo>;

/** The part of Google's client that the sampler uses. The API has the members of its `config` in other places. */
function geminiClient(post: Poster): GeminiClient {
  const generateContent = ({ contents, config }: GeminiRequest, options?: { signal: AbortSignal }): Promise<JsonObject> => {
    const { systemInstruction: text, tools, toolConfig, abortSignal: _, ...generationConfig } = config;
    const systemInstruction = text === undefined ? undefined : { parts: [{ text }] };
    return post({ contents, systemInstruction, tools, toolConfig, generationConfig }, options);
  };
  return { models: { generateContent, generateContentStream: generateContent } };
}

interface GeminiRequest {
  readonly contents: readonly object[];
  readonly config: { readonly [name: string]: unknown };
}

/** Sends requests to an API of a model. @throws Error with what the API says, and never the key */
function posterTo(url: string, headers: object): (body: object, options?: { signal: AbortSignal }) => Promise<JsonObject> {
  return async (body: object, options?: { signal: AbortSignal }): Promise<JsonObject> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      redirect: "error", // the key is for this address only
      ...options,
    });
    const reply: unknown = await response.json().catch(() => undefined);
    if (response.ok && isJsonObject(reply)) return reply;
    const { error } = isJsonObject(reply) ? reply : {};
    const why = isJsonObject(error) && typeof error["message"] === "string" ? `: ${error["message"]}` : "";
    throw new Error(`${new URL(url).host} answered with status ${response.status}${why}`);
  };
}
