/** `loop()`: a model and tools in turns, until the model has no more calls or a limit is reached. */
import { systemClock, type Clock } from "../base/clock.ts";
import { LinkedAbort } from "../base/abort.ts";
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { MODEL_TOOL_OPTIONS, RUN_OPTIONS, type ModelCall, type ModelToolOptions, type RunOptions } from "./options.ts";
import { errorOutcome, textOf, type Outcome } from "./outcome.ts";
import type { ModelProvider, ModelReply } from "./providers/model-provider.ts";
import { assertCount, ToolKit, type RawCall } from "./tool-kit.ts";
import type { ToolSource } from "./tool-source.ts";

/** What {@link loop} runs, and its limits. */
export interface LoopOptions<Message> extends ModelToolOptions, RunOptions {
  /** The model: `anthropicMessages()`, `openaiResponses()`, `openaiChat()` or `geminiContents()`. */
  provider: ModelProvider<Message>;
  /** A client or a group. */
  tools: ToolSource;
  /** The conversation so far, in the provider's form. It is not changed. */
  messages: readonly Message[];
  /** The most requests to the model. Default 20. */
  maxTurns?: number;
  /** The most tokens of all turns together, checked after each. Default: no limit. */
  maxTokens?: number;
  /** Milliseconds that all of it may take. Default: no limit. */
  maxTime?: number;
  /** The clock of `maxTime`. Default: the system's. */
  clock?: Clock;
}

/** What happens in a {@link loop}. */
export type LoopEvent<Message> = LoopText | LoopCall | LoopResult | LoopEnd<Message>;

/** A piece of the model's text. */
export interface LoopText {
  /** Tells the event from others. */
  readonly type: "text";
  /** The piece. */
  readonly text: string;
}

/** A call that the model wants. It begins now. */
export interface LoopCall {
  /** Tells the event from others. */
  readonly type: "call";
  /** The call. */
  readonly call: ModelCall;
}

/** The result of a call. */
export interface LoopResult {
  /** Tells the event from others. */
  readonly type: "result";
  /** The id of the call. */
  readonly id: string;
  /** Whether it failed. */
  readonly isError: boolean;
  /** The result as text. */
  readonly text: string;
}

/** The last event. */
export interface LoopEnd<Message> {
  /** Tells the event from others. */
  readonly type: "end";
  /** `"done"`: the model has no more calls. Otherwise the limit that was reached. */
  readonly reason: "done" | "maxTurns" | "maxTokens" | "maxTime";
  /** Why the model stopped last, in the provider's words. */
  readonly stopReason: string;
  /** The whole conversation, in which every call has a result. */
  readonly messages: readonly Message[];
  /** Tokens of all turns. */
  readonly tokens: number;
  /** How many of them the model wrote, which cost more than those that it read. */
  readonly outputTokens: number;
}

const LOOP_OPTIONS: OptionKeys<LoopOptions<unknown>> = {
  ...MODEL_TOOL_OPTIONS,
  ...RUN_OPTIONS,
  provider: 1,
  tools: 1,
  messages: 1,
  maxTurns: 1,
  maxTokens: 1,
  maxTime: 1,
  clock: 1,
};
const DEFAULT_TURNS = 20;

/**
 * Asks a model, makes the calls that it wants, tells it the results, and again, until it has no more calls. Gives text, calls and results
 * as they come; the last event has the conversation. A call that fails is a result for the model.
 * @throws `signal.reason` if the signal aborts; what the provider's SDK throws; TypeError for an unknown option, RangeError for a limit
 */
export async function* loop<Message>(options: LoopOptions<Message>): AsyncGenerator<LoopEvent<Message>, void> {
  assertKnown("loop()", options, LOOP_OPTIONS);
  const { provider, tools: source, maxTurns = DEFAULT_TURNS, maxTokens = Infinity, maxTime = Infinity, clock = systemClock } = options;
  assertCount("maxTurns", maxTurns);
  const kit = await ToolKit.of(source, provider.profiles, pickOptions(options, MODEL_TOOL_OPTIONS), "loop");
  options.signal?.throwIfAborted();
  const abort = new LinkedAbort(options.signal);
  const timer = maxTime === Infinity ? undefined : clock.setTimer(maxTime, () => abort.abort(OUT_OF_TIME));
  const { signal } = abort;
  const messages = [...options.messages];
  let [tokens, outputTokens] = [0, 0];
  const endOf = (reason: LoopEnd<Message>["reason"], stopReason: string): LoopEnd<Message> => ({
    type: "end",
    reason,
    stopReason,
    messages,
    tokens,
    outputTokens,
  });
  try {
    for (let turn = 1; ; turn++) {
      const reply = yield* asked(provider, { kit, messages, signal });
      if (reply === undefined) return yield endOf("maxTime", "");
      messages.push(...reply.messages);
      tokens += reply.tokens;
      outputTokens += reply.outputTokens;
      const { stopReason, calls } = reply;
      if (calls.length === 0) return yield endOf("done", stopReason);
      const over = signal.aborted ? "maxTime" : tokens >= maxTokens ? "maxTokens" : turn >= maxTurns ? "maxTurns" : undefined;
      if (over !== undefined) {
        messages.push(
          ...provider.results(calls.map(({ id, name }) => errorOutcome(id, name, `Not called: the limit "${over}" is reached`))),
        );
        return yield endOf(over, stopReason);
      }
      messages.push(...provider.results(yield* called(kit, calls, { ...pickOptions(options, RUN_OPTIONS), signal })));
      options.signal?.throwIfAborted();
    }
  } finally {
    clock.clearTimer(timer);
    abort.unlink();
  }
}

/** Asks the model. Returns undefined if the time ended meanwhile. */
async function* asked<Message>(
  provider: ModelProvider<Message>,
  request: { readonly kit: ToolKit; readonly messages: readonly Message[]; readonly signal: AbortSignal },
): AsyncGenerator<LoopText, ModelReply<Message> | undefined> {
  const { signal } = request;
  try {
    const reply = provider.ask(request);
    for (;;) {
      const next = await reply.next();
      if (next.done === true) return next.value;
      yield { type: "text", text: next.value };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (signal.reason === OUT_OF_TIME) return undefined;
    throw signal.reason;
  }
}

async function* called(
  kit: ToolKit,
  calls: readonly RawCall[],
  how: RunOptions,
): AsyncGenerator<LoopCall | LoopResult, readonly Outcome[]> {
  for (const call of calls) {
    const { id, name, arguments: args, tool } = kit.toModelCall(call);
    yield { type: "call", call: { id, name, arguments: args, tool } };
  }
  const outcomes = await kit.run(calls, how);
  for (const outcome of outcomes) yield { type: "result", id: outcome.id, isError: outcome.isError, text: textOf(outcome) };
  return outcomes;
}

const OUT_OF_TIME = new Error("The time of the loop is over");

function pickOptions<Part extends object>(options: Part, keys: OptionKeys<Part>): Part {
  return Object.fromEntries(Object.entries(options).filter(([key]) => key in keys)) as Part; // a part of its own type
}
