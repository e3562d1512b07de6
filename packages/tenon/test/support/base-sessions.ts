/** A `BaseSession` whose other end is the test, and the shortest way to answer what it is asked. */
import { onTestFinished } from "vitest";
import type { JsonObject } from "tenon";
import { BaseSession, type BaseSessionOptions, type RequestResponder, type SessionRequest } from "tenon/compat/python";
import { ScriptedTransport } from "./scripted-transport.ts";

export type Responder = RequestResponder<SessionRequest>;

export async function scripted(
  options: BaseSessionOptions = {},
): Promise<{ session: BaseSession; peer: ScriptedTransport; errors: Error[] }> {
  const peer = new ScriptedTransport();
  const errors: Error[] = [];
  const session = await new BaseSession(peer, { onError: (error) => void errors.push(error), ...options }).connect();
  onTestFinished(() => session.close());
  return { session, peer, errors };
}

export async function answerWith(responder: Responder, result: JsonObject): Promise<void> {
  using entered = responder.enter();
  await entered.respond(result);
}
