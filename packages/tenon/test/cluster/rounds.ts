/** Rounds of calls of 2026-07-28, sent to nodes by hand: a test says which node gets which round. */
import type { JsonObject } from "tenon";
import { mirrored, statelessBody } from "../http/support.ts";
import type { Nodes, RawResponse } from "./nodes.ts";

/** One round as a client sends it. */
export interface Round {
  readonly name: string;
  readonly state?: string;
  /** Names of the questions that the client accepts. */
  readonly accepts?: readonly string[];
  readonly meta?: JsonObject;
  readonly headers?: Record<string, string>;
  readonly arguments?: JsonObject;
}

export function requestOf({ name, state, accepts = [], meta = {}, headers = {}, arguments: args = {} }: Round): {
  headers: Record<string, string>;
  body: JsonObject;
} {
  const inputResponses = Object.fromEntries(accepts.map((question) => [question, { action: "accept", content: {} }]));
  const params = {
    name,
    arguments: args,
    ...(state !== undefined && { requestState: state, inputResponses }),
    _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }, ...meta },
  };
  return { headers: { ...mirrored("tools/call", params), ...headers }, body: statelessBody("tools/call", params) };
}

export const send = (nodes: Nodes, at: number, round: Round): Promise<RawResponse> => nodes.send(at, requestOf(round));

/** What came of a round: the text of the result, the state with which the call goes on, or the error. */
export interface Outcome {
  readonly text?: string;
  readonly state?: string;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: JsonObject };
}

export function outcomeOf({ result, error }: JsonObject): Outcome {
  if (error !== undefined) return { error: error as NonNullable<Outcome["error"]> };
  const { content, requestState } = result as { content?: [{ text: string }]; requestState?: string };
  return requestState === undefined ? { text: content![0].text } : { state: requestState };
}

export async function run(nodes: Nodes, at: number, round: Round): Promise<Outcome> {
  return outcomeOf(await (await send(nodes, at, round)).message());
}

/** Begins a call at a node. Returns the state that comes with its first question. */
export async function begin(nodes: Nodes, at: number, round: Round): Promise<string> {
  const { state, ...other } = await run(nodes, at, round);
  if (state === undefined) throw new Error(`The call does not ask: ${JSON.stringify(other)}`);
  return state;
}
