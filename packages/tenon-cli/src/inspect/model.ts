/**
 * `--model provider/name`: the model that can answer the sampling questions of servers on the page, over the samplers of `tenon/models`.
 *
 * Security: the user names the model at the start, and the page cannot. The key comes from the environment, goes to the API only, and is
 * in no error.
 */
import type { SampleHandler } from "tenon/client";
import type { JsonObject } from "tenon";
import { type GeminiClient, sampleWithAnthropic, sampleWithGemini, sampleWithOpenAI } from "tenon/models";
import type { InspectorModel } from "../inspector/target/model-drafts.ts";
import type { Environment } from "../shell.ts";
import { type ApiName, geminiBody, type GeminiRequest, type ModelApi, modelApiOf, posterTo, withoutKey } from "./model-api.ts";

const SAMPLERS: Readonly<Record<ApiName, (api: ModelApi) => SampleHandler>> = {
  anthropic: ({ base, headers, model }) =>
    sampleWithAnthropic({ messages: { create: posterTo(`${base}/v1/messages`, headers) } }, { model }),
  openai: ({ base, headers, model }) => sampleWithOpenAI({ responses: { create: posterTo(`${base}/responses`, headers) } }, { model }),
  google: (api) => sampleWithGemini(geminiClient(api), { model: api.model }),
};

/** Undefined without `--model`: then all questions are answered by hand. @throws UsageError for an unknown provider, or without its key */
export function modelOf(typed: string | undefined, env: Environment): InspectorModel | undefined {
  if (typed === undefined) return undefined;
  const api = modelApiOf(typed, env);
  const sample = SAMPLERS[api.api](api);
  return { name: typed, sample: (params, signal) => answerOf(sample, { params, signal, key: api.key }) };
}

async function answerOf(
  sample: SampleHandler,
  { params, signal, key }: { readonly params: JsonObject; readonly signal: AbortSignal; readonly key: string },
): Promise<JsonObject> {
  try {
    // The codec has checked the params. The samplers use the signal, and nothing else of the context.
    return { ...(await sample(params as never, { signal } as never)) };
  } catch (error) {
    throw withoutKey(error, key);
  }
}

/** The part of Google's client that the sampler uses. */
function geminiClient({ base, headers, model }: ModelApi): GeminiClient {
  const post = posterTo(`${base}/v1beta/models/${encodeURIComponent(model)}:generateContent`, headers);
  const generateContent = (request: GeminiRequest, options?: { signal: AbortSignal }): Promise<JsonObject> =>
    post(geminiBody(request), options);
  return { models: { generateContent, generateContentStream: generateContent } };
}
