/** The options of `state()`, and their defaults. */
import type { OptionKeys } from "../base/known-options.ts";
import { withPresets, type NumberTable } from "../base/number-options.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { AnySchema } from "../schema/standard-schema.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import type { StatePer } from "./owner.ts";

/** How much is kept of one user, over all states of a store. Where there is no user it is how much is kept of one session. */
export interface KeptLimits {
  /** Values. Default 100, at most 10 000. */
  readonly maxStates?: number;
  /** Bytes of all values as JSON in UTF-8, with their names. Default 262 144, at most 1 000 000. */
  readonly maxBytes?: number;
}

/** Options of {@link state}. */
export interface StateOptions<Schema extends AnySchema = AnySchema> {
  /** What the value must be: a Standard Schema or a JSON Schema. It is checked before it is kept, and again when it is read. */
  readonly schema: Schema;
  /**
   * Whose value it is. `"user"`: of the user, whatever program the user comes with. `"client"`: of one program of the user.
   * `"session"`: of one session, on revisions that have them. Default `"user"`.
   */
  readonly per?: StatePer;
  /** Milliseconds after its last change until a value is gone. Default 2 592 000 000 (30 days), per session 86 400 000 (a day); at most 10 years. */
  readonly ttl?: number;
  /**
   * Where values are kept, such as the `keyed` of `redisStores()`. Default: the option `stores` of the endpoint; without it the memory of this
   * process.
   */
  readonly store?: KeyedStore;
  /** How much is kept of one user. */
  readonly limits?: KeptLimits;
  /** The validator of plain JSON Schemas. Default: Tenon's own. */
  readonly validator?: JsonSchemaValidator;
}

const LIMITS: NumberTable<KeptLimits> = { maxStates: [100, 1], maxBytes: [262_144, 1] };
const MOST = { maxStates: 10_000, maxBytes: 1_000_000 };
const OPTIONS: OptionKeys<StateOptions> = { schema: 1, per: 1, ttl: 1, store: 1, limits: LIMITS, validator: 1 };

export function stateOptionKeys(): OptionKeys<StateOptions> {
  return OPTIONS;
}

/** @throws RangeError that names the limit */
export function checkLimits(given: KeptLimits | undefined): Required<KeptLimits> {
  const limits = withPresets<KeptLimits>(LIMITS, given, "limits") as Required<KeptLimits>; // with all names of the table
  for (const [name, most] of Object.entries(MOST)) {
    const value = limits[name as keyof KeptLimits];
    if (value > most) throw new RangeError(`Option "limits.${name}" must be at most ${most}, not ${value}`);
  }
  return limits;
}

const DAY = 86_400_000;
const MOST_TIME = 3_650 * DAY;

/** @throws RangeError if it is no time from a millisecond to ten years */
export function checkTtl(option: string, ttl: number): number {
  if (typeof ttl === "number" && ttl >= 1 && ttl <= MOST_TIME) return ttl;
  throw new RangeError(`Option "${option}" must be milliseconds from 1 to ${MOST_TIME}, not ${String(ttl)}`);
}

/** Milliseconds that a value lives if its option does not say. */
export function defaultTtl(per: StatePer): number {
  return per === "session" ? DAY : 30 * DAY;
}
