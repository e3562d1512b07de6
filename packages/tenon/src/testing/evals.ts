/**
 * `defineEvals()`: tasks for a model, and what is right about the calls that it makes and what it says. `tenon eval` runs them.
 *
 * It only checks what is written. It starts nothing and reads nothing.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Servable } from "../dispatch/acceptor.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ModelProvider } from "../models/providers/model-provider.ts";
import type { StandardSchema } from "../schema/standard-schema.ts";
import type { NoTools, ToolSignature, ToolsOf } from "../session/tools/typed-tools.ts";

/** The names of tools: those that the server's type knows, or any text. */
export type EvalToolName<Tools> = [keyof Tools] extends [never] ? string : keyof Tools & string;

/** Arguments as the compiler knows them. */
type ArgumentsOf<Tools, Name> = Name extends keyof Tools ? (Tools[Name] extends ToolSignature<infer Args> ? Args : JsonObject) : JsonObject;

/**
 * What is right about arguments: an object whose members they must have (more are allowed), a schema that they must fit, or a function that
 * returns whether they are right.
 */
export type EvalArguments<Args = JsonObject> = StandardSchema | Partial<Args> | ((args: Args) => MaybePromise<boolean>);

/** A call that a task needs. */
export interface ExpectedCall<Name extends string = string, Args = JsonObject> {
  /** The tool; behind a group without or with the prefix of its server. */
  readonly tool: Name;
  /** What is right about its arguments. Default: any. */
  readonly arguments?: EvalArguments<Args>;
}

/** A tool's name, or the name with what is right about its arguments. */
export type EvalExpectation<Tools> =
  | EvalToolName<Tools>
  | { [Name in EvalToolName<Tools>]: ExpectedCall<Name, ArgumentsOf<Tools, Name>> }[EvalToolName<Tools>];

/** What the last text of the model must have: a text in it, in any case; a pattern; or a function that returns whether it is right. */
export type EvalAnswer = string | RegExp | ((answer: string) => MaybePromise<boolean>);

/** One task for the model. */
export interface EvalTask<Tools = NoTools> {
  /** Its name in reports and recordings: unique in the file. */
  readonly name: string;
  /** What the user says. */
  readonly prompt: string;
  /** Calls that must be among those that the model makes, in any order. An empty list: it must call nothing. Default: any calls. */
  readonly expect?: EvalExpectation<Tools> | readonly EvalExpectation<Tools>[];
  /** Tools that the model must not call. Default: none. */
  readonly forbid?: readonly EvalToolName<Tools>[];
  /** What its last text must have: all of it. Default: anything. */
  readonly answer?: EvalAnswer | readonly EvalAnswer[];
  /** The share of runs, from 0 to 1, that must be right. Default: the file's. */
  readonly pass?: number;
}

/** Dollars for a million tokens. */
export interface EvalPrice {
  /** What the model reads. */
  readonly input: number;
  /** What it writes. */
  readonly output: number;
}

/** The content of `evals.ts`. */
export interface EvalsOptions<Server = unknown> {
  /** The server: a definition, or a URL, a file or a command as text. Default: what the command line names. */
  readonly server?: Server & (Servable | string);
  /** A configuration file whose servers are all offered to the model, such as `.mcp.json`. Default: none. */
  readonly config?: string;
  /** The model: a name of {@link EvalsOptions.models}, or `openai/…`, `anthropic/…`, `google/…`. Default: `--model` of the command line. */
  readonly model?: string;
  /** Models of `tenon/models` by their names. A function is called only if its model is asked, so that a replay needs no key. */
  readonly models?: Readonly<Record<string, () => MaybePromise<ModelProvider<object>>>>;
  /** Instructions for the model. Default: the instructions of the servers. */
  readonly system?: string;
  /** The tasks, in the order of the report. */
  readonly tasks: readonly EvalTask<ToolsOf<Server>>[];
  /** How often each task runs. Default 1. */
  readonly runs?: number;
  /** The share of runs of a task, from 0 to 1, that must be right. Default 1. */
  readonly pass?: number;
  /**
   * Tools that may be called although they may change something, or `"all"`. Default: none. Security: without it only tools with
   * `readOnlyHint` are called, which is a claim of their server. The model gets the text of {@link EvalsOptions.results} in place of others.
   */
  readonly allow?: "all" | readonly string[];
  /** Texts that the model gets in place of the results of tools, which are then not called. Default: none. */
  readonly results?: Readonly<Record<string, string | ((args: JsonObject) => MaybePromise<string>)>>;
  /** Prices by the names of models, for the cost in the report. Default: no cost is printed. */
  readonly prices?: Readonly<Record<string, EvalPrice>>;
  /** The most requests to the model in one run. Default 10. */
  readonly maxTurns?: number;
  /** Milliseconds of one run. Default 120 000. */
  readonly timeout?: number;
}

const OPTIONS: OptionKeys<Omit<EvalsOptions, "models" | "results" | "prices">> = {
  server: 1,
  config: 1,
  model: 1,
  system: 1,
  tasks: 1,
  runs: 1,
  pass: 1,
  allow: 1,
  maxTurns: 1,
  timeout: 1,
};
const TASK: OptionKeys<EvalTask> = { name: 1, prompt: 1, expect: 1, forbid: 1, answer: 1, pass: 1 };

/**
 * The tasks of `evals.ts`, checked. `defineEvals<typeof server>()` knows the tools of a server that another program starts.
 * @throws TypeError for an unknown option, a task without name or prompt, or two of one name; RangeError for a number out of range
 * @example
 * ```ts
 * import { defineEvals } from "tenon/testing";
 *
 * export default defineEvals({
 *   model: "openai/gpt-5-mini",
 *   tasks: [{ name: "book", prompt: "Book a table for two at 19:00", expect: { tool: "book", arguments: { seats: 2 } } }],
 * });
 * ```
 */
export function defineEvals<Server = unknown>(evals: EvalsOptions<Server>): EvalsOptions<Server> {
  assertKnown("defineEvals()", evals, { ...OPTIONS, models: 1, results: 1, prices: 1 });
  const { tasks, runs = 1, maxTurns = 1, timeout = 1, pass = 1 } = evals;
  if (!Array.isArray(tasks) || tasks.length === 0) throw new TypeError('"tasks" of defineEvals() must be a list with a task');
  for (const [name, count] of Object.entries({ runs, maxTurns, timeout }))
    if (!Number.isInteger(count) || count < 1) throw new RangeError(`"${name}" must be a whole number above 0: ${count}`);
  assertShare(pass);
  const names = new Set<string>();
  for (const task of tasks as readonly EvalTask[]) {
    assertTask(task);
    if (names.has(task.name)) throw new TypeError(`Two tasks have the name ${JSON.stringify(task.name)}`);
    names.add(task.name);
  }
  return evals;
}

function assertTask(task: EvalTask): void {
  assertKnown("a task of defineEvals()", task, TASK);
  const { name, prompt, pass = 1 } = task;
  if (typeof name !== "string" || name === "") throw new TypeError("A task of defineEvals() has no name");
  if (typeof prompt !== "string" || prompt === "") throw new TypeError(`The task ${JSON.stringify(name)} has no prompt`);
  assertShare(pass);
}

function assertShare(pass: number): void {
  if (!(pass >= 0 && pass <= 1)) throw new RangeError(`"pass" must be a number from 0 to 1: ${pass}`);
}
