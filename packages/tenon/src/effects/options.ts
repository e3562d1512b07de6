/** The options of tools whose effects must not happen twice, or not without a yes. */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { assertAtLeast } from "../base/number-options.ts";
import type { RequestContext } from "../session/request-context.ts";
import { checkTtl } from "../state/options.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";

/** A function of the arguments of a call and its context. Declared as a method, so that options of any tool fit one type. */
type OfCall<Input, Result> = { of(input: Input, context: RequestContext): Result }["of"];

/** How a tool has one result for one key: the option `once`. */
export interface OnceOptions<Input = never> {
  /**
   * The key of a call: the name of the argument that holds it, or a function of the arguments after the schema. A call without a key
   * (`undefined`) runs as any other. The key is bound to the principal, and without a login it should not be guessable.
   */
  readonly key: string | OfCall<Input, string | undefined>;
  /** Milliseconds for which the result is kept. Default 86 400 000 (a day); at most 10 years. */
  readonly ttl?: number;
  /** Characters of the longest result that is kept, as JSON. A longer one is sent once, and the key stays used. Default 16 384, at most 524 288. */
  readonly maxResult?: number;
  /** Keys of one principal, or of one address without a login, that are kept at once. Default 1 000, at most 10 000. */
  readonly maxKeys?: number;
  /** Where results are kept, such as the `keyed` of `redisStores()`. Default: as for `state()`. */
  readonly store?: KeyedStore;
}

/** What a tool asks its user before it runs: the option `confirm`. `true` for a question with the tool's name and its arguments. */
export type ConfirmOption<Input = never> = true | string | OfCall<Input, MaybePromise<string | undefined>>;

export interface EffectOptions {
  readonly title?: string;
  readonly once?: OnceOptions | undefined;
  readonly confirm?: ConfirmOption | undefined;
}

const DAY = 86_400_000;
const MOST = { maxResult: 524_288, maxKeys: 10_000 };

/** The options of `once` with their defaults. @throws RangeError, TypeError that name the option */
export function checkOnce(tool: string, { key, ttl = DAY, maxResult = 16_384, maxKeys = 1_000, store }: OnceOptions): OnceSettings {
  if (typeof key !== "function" && (typeof key !== "string" || key === ""))
    throw new TypeError(`Option "once.key" of tool "${tool}" must be the name of an argument, or a function`);
  checkTtl("once.ttl", ttl);
  for (const [name, value] of Object.entries({ maxResult, maxKeys })) {
    assertAtLeast(`once.${name}`, value, 1);
    const most = MOST[name as keyof typeof MOST];
    if (value > most) throw new RangeError(`Option "once.${name}" must be at most ${most}, not ${value}`);
  }
  return { key: key as OnceSettings["key"], ttl, maxResult, maxKeys, store }; // the arguments are checked by the schema of the same tool
}

export interface OnceSettings {
  readonly key: string | ((input: unknown, context: RequestContext) => unknown);
  readonly ttl: number;
  readonly maxResult: number;
  readonly maxKeys: number;
  readonly store: KeyedStore | undefined;
}

// ---- a call of such a tool ----

export interface ToolCall {
  readonly name: string;
  readonly options: EffectOptions;
  /** The arguments, after the schema. */
  readonly input: unknown;
  readonly context: RequestContext;
}

/** Names the tool among all of a server: also one that several servers in it have under the same name. */
export function ownKey({ name, context }: ToolCall): readonly string[] {
  return [context.questionSource?.name ?? "", context.calledAs ?? name];
}
