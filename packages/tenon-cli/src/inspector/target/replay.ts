/** Runs the steps of a recording again, on a connection of its own, with the recorded answers, and compares the results. */
import { type Client, type ConnectOptions, connect } from "tenon/client";
import type { JsonObject, ProtocolVersion } from "tenon";
import { send } from "./calls.ts";
import { toFailure } from "./failure.ts";
import type { Inspectable } from "./open-target.ts";
import type { Answered, Recording, Step } from "./recording.ts";

/** Milliseconds for each step. */
const STEP_TIMEOUT = 60_000;

/** A step and what it did when it ran again. */
export interface Replayed {
  readonly step: Step;
  readonly result?: JsonObject;
  readonly failure?: Step["failure"];
  /** Questions that had no recorded answer. */
  readonly unexpected: readonly string[];
}

/** @throws what `connect` throws */
export async function replay(
  server: Inspectable,
  recording: Recording,
  options: ConnectOptions,
  revision?: ProtocolVersion,
): Promise<readonly Replayed[]> {
  const script = new Script();
  const client = await connect(server as Parameters<typeof connect>[0], {
    ...options,
    revision: revision ?? (recording.revision as ProtocolVersion), // the connection that was recorded spoke it
    cacheResponses: false,
    validateOutput: false,
    onElicit: ({ message }) => script.next("elicitation/create", message) as never,
    onSample: () => script.next("sampling/createMessage", "") as never,
  });
  try {
    const done: Replayed[] = [];
    for (const step of recording.steps) done.push(await runStep(client, step, script));
    return done;
  } finally {
    await client.close();
  }
}

async function runStep(client: Client, step: Step, script: Script): Promise<Replayed> {
  const unexpected = script.begin(step.answers);
  try {
    const result = await send(client, step, { timeout: STEP_TIMEOUT });
    return { step, result: JSON.parse(JSON.stringify(result)) as JsonObject, unexpected };
  } catch (error) {
    return { step, failure: toFailure(error), unexpected };
  }
}

/** The recorded answers of one step, in order of their kind. */
class Script {
  #answers: Answered[] = [];
  #unexpected: string[] = [];

  begin(answers: readonly Answered[]): readonly string[] {
    this.#answers = [...answers];
    this.#unexpected = [];
    return this.#unexpected;
  }

  next(method: Answered["method"], message: string): JsonObject {
    const at = this.#answers.findIndex((answer) => answer.method === method);
    const [found] = at < 0 ? [] : this.#answers.splice(at, 1);
    if (found !== undefined) return found.answer;
    this.#unexpected.push(message || method);
    return method === "elicitation/create" ? { action: "cancel" } : { code: -1, message: "The recording has no answer to this" };
  }
}
