/** What `loop()` needs of a model's API: to ask it, and to put results into its messages. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Outcome } from "../outcome.ts";
import type { Profiles, RawCall, ToolKit } from "../tool-kit.ts";

/** A model behind an API, for {@link loop}. Made by `anthropicMessages()` and its siblings. */
export interface ModelProvider<Message> {
  /** @internal The rules of its definitions. */
  readonly profiles: Profiles;
  /** @internal Asks the model: gives its text piece by piece, and then its whole reply. */
  ask(request: ModelRequest<Message>): AsyncGenerator<string, ModelReply<Message>>;
  /** @internal A message of the user. */
  userMessage(text: string): Message;
  /** @internal The messages with the results of calls. */
  results(outcomes: readonly Outcome[]): readonly Message[];
}

export interface ModelRequest<Message> {
  readonly kit: ToolKit;
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
}

export interface ModelReply<Message> {
  /** For the messages of the next request. */
  readonly messages: readonly Message[];
  readonly calls: readonly RawCall[];
  /** Tokens of the request and the reply together. */
  readonly tokens: number;
  /** Tokens of the reply alone. */
  readonly outputTokens: number;
  /** Why the model stopped, in the provider's words. */
  readonly stopReason: string;
}

/** The model and what else goes with each request. */
export interface ProviderOptions {
  /** The name of the model, as its provider calls it. */
  model: string;
  /** The most tokens of one reply. Default: 4 096 with Anthropic, whose API requires a number; otherwise none is sent, and the model's own limit holds. */
  maxTokens?: number;
  /** Instructions for the model. Default: none. */
  system?: string;
  /** More parameters of the request, in the provider's form. They replace those that are made here. */
  request?: object;
}

export const DEFAULT_MAX_TOKENS = 4_096;

/** The function of an SDK that sends a request. SDKs overload it, so that no single type fits. */
export type CreateFunction = (params: never, options?: never) => unknown;

/** Sends a request and gives the events of its stream. */
export async function* eventsOf(target: object, create: CreateFunction, body: object, signal: AbortSignal): AsyncGenerator<JsonObject> {
  // The SDK's own type of a request with `stream: true` is not known here; the provider checks the request.
  const stream = (await (create as unknown as (params: object, options: object) => unknown).call(target, body, {
    signal,
  })) as AsyncIterable<unknown>;
  for await (const event of stream) if (isJsonObject(event)) yield event;
}

export async function sendOnce(target: object, create: CreateFunction, body: object, signal: AbortSignal): Promise<JsonObject> {
  const reply: unknown = await (create as unknown as (params: object, options: object) => unknown).call(target, body, { signal });
  return isJsonObject(reply) ? reply : {};
}

/** A member that is an object; an empty one if it is not. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  return isJsonObject(value[key]) ? value[key] : {};
}

/** A member that is a list of objects. */
export function listAt(value: JsonObject, key: string): readonly JsonObject[] {
  return Array.isArray(value[key]) ? value[key].filter(isJsonObject) : [];
}

/** A member that is text; empty if it is not. */
export function textAt(value: JsonObject, key: string): string {
  return typeof value[key] === "string" ? value[key] : "";
}

export function numberAt(value: JsonObject, key: string): number {
  return typeof value[key] === "number" ? value[key] : 0;
}
