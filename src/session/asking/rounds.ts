/**
 * The rounds of a call, as far as every call needs them: whether its handler asked. What asking takes is loaded with the
 * first question (`round-engine.ts`).
 */
import { andThen, isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { UrlElicitationRequiredError } from "../../protocol/errors.ts";
import { METHODS } from "../../protocol/methods.ts";
import type { JsonSchemaValidator } from "../../schema/json-schema-validator.ts";
import type { Clock } from "../../dispatch/clock.ts";
import { assertAtLeast } from "../../dispatch/limits.ts";
import type { RequestContext } from "../request-context.ts";
import type { RequestStateOptions } from "./options.ts";
import { RoundEnd, type RoundOutcome } from "./round-end.ts";
import type { RoundEngine } from "./round-engine.ts";
import { looksSealed, stateRefusal } from "./state-refusal.ts";

export type Run = (context: RequestContext) => MaybePromise<JsonObject>;

/** Methods that may be answered with questions (H2). */
const ASKING: ReadonlySet<string> = new Set(METHODS.filter((row) => row.mayAsk).map((row) => row.method));

/** Whose rounds they are. */
export interface RoundsOwner {
  /** The server whose states they are. */
  readonly audience: string;
  readonly validator: JsonSchemaValidator;
  readonly clock: Clock;
  /** Told what the operator has to do something about. */
  readonly warn: (warning: Error) => void;
}

export class Rounds {
  readonly #create: () => Promise<RoundEngine>;
  #engine: MaybePromise<RoundEngine> | undefined;

  /** @throws RangeError for an option that cannot be used */
  constructor(options: RequestStateOptions, owner: RoundsOwner) {
    checkOptions(options);
    this.#create = async () => new (await import("./round-engine.ts")).RoundEngine(options, owner);
  }

  /** What asking takes. */
  engine(): MaybePromise<RoundEngine> {
    return (this.#engine ??= this.#create().then((engine) => (this.#engine = engine)));
  }

  /** Cancels every handler that waits for its client. */
  async close(): Promise<void> {
    (await this.#engine)?.close();
  }

  /** Runs the handler of a request. Costs next to nothing where it does not ask. */
  run(context: RequestContext, handler: Run): MaybePromise<JsonObject> {
    if (!ASKING.has(context.method)) return handler(context);
    context.rounds = this;
    return context.codec.stateless ? this.#runRound(context, handler) : this.#runLive(context, handler);
  }

  #runLive(context: RequestContext, handler: Run): MaybePromise<JsonObject> {
    const ask = async (asking: JsonObject): Promise<JsonObject> => (await this.engine()).askLive(context, handler, asking);
    // Once its handler has ended nobody can ask: middleware could not on revisions without a back-channel.
    const ended = (value: JsonObject): MaybePromise<JsonObject> => {
      if (asksByHand(value)) return ask(value);
      context.rounds = undefined;
      return value;
    };
    const result = handler(context);
    return isPromise(result) ? result.then(ended) : ended(result);
  }

  #runRound(context: RequestContext, handler: Run): MaybePromise<JsonObject> {
    const state = context.params["requestState"];
    if (typeof state === "string") {
      if (!looksSealed(state)) throw stateRefusal(new Error("Not something this server sealed"));
      return andThen(this.engine(), (engine) => engine.goOn(context, handler, state));
    }
    let result: MaybePromise<JsonObject>;
    try {
      result = handler(context);
    } catch (error) {
      return this.#failed(context, error);
    }
    if (!isPromise(result)) return asksByHand(result) ? this.#finish(context, { result }) : result;
    context.roundEnd = new RoundEnd(result);
    return context.roundEnd.next().then(
      (outcome) => ("result" in outcome && !asksByHand(outcome.result) ? outcome.result : this.#finish(context, outcome)),
      (error: unknown) => this.#failed(context, error),
    );
  }

  #finish(context: RequestContext, outcome: RoundOutcome): MaybePromise<JsonObject> {
    return andThen(this.engine(), (engine) => engine.finish(context, outcome));
  }

  /** Pages that must be visited first are questions, where there is no error for them; other failures stay what they are. */
  #failed(context: RequestContext, error: unknown): MaybePromise<JsonObject> {
    if (!(error instanceof UrlElicitationRequiredError)) throw error;
    return andThen(this.engine(), (engine) => engine.failed(context, error));
  }
}

export function asksByHand(result: JsonObject): boolean {
  return result["resultType"] === "input_required";
}

/** @throws RangeError */
function checkOptions({ keys, ttl = 1, maxSize = 1, maxSuspended = 0, warnAfterSeals = 1 }: RequestStateOptions): void {
  for (const [name, value] of Object.entries({ ttl, maxSize, warnAfterSeals })) {
    assertAtLeast(`requestState.${name}`, value, 1);
  }
  assertAtLeast("requestState.maxSuspended", maxSuspended, 0);
  if (keys !== undefined && (keys.length === 0 || keys.some((key) => key.length < MIN_KEY_LENGTH))) {
    throw new RangeError(`Option "requestState.keys" must have at least one key, each of ${MIN_KEY_LENGTH} bytes or more`);
  }
}
/** Shortest key taken. */
const MIN_KEY_LENGTH = 32;
