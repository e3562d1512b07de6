/**
 * Mends the values in a schema that are not of its type: `default: "10"` of an integer, `enum: [1, 2]` of a text. YAML makes numbers and
 * booleans of what the author meant as texts, and APIs of models refuse a choice that its own type does not allow.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import { isOfType, TYPE_TESTS } from "./value-keywords.ts";

export interface Mended {
  readonly keyword: string;
  /** `"rewritten"`: it says the same in valid words. `"dropped"`: it has no meaning. */
  readonly action: "rewritten" | "dropped";
  /** Its argument before. */
  readonly from: unknown;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** Changes `schema`, which allows values of `types`, and returns what was changed. What is meant is known of one type only, with or without null. */
export function mendValues(schema: JsonObject, types: readonly string[]): readonly Mended[] {
  const { default: preset, const: only, enum: choices, examples } = schema;
  if (new Set(types.filter((name) => name !== "null")).size !== 1 || !types.every((name) => TYPE_TESTS.has(name))) return [];
  const mended = (value: unknown): unknown => valueOf(value, types);
  const changes: Mended[] = [];
  const change = (keyword: string, from: unknown, to: unknown): void => {
    if (to === undefined) delete schema[keyword];
    else schema[keyword] = to;
    changes.push({ keyword, action: to === undefined ? "dropped" : "rewritten", from });
  };
  for (const [keyword, value] of [["default", preset] as const, ["const", only] as const])
    if (value !== undefined && mended(value) !== value) change(keyword, value, mended(value));
  for (const [keyword, list] of [["enum", choices] as const, ["examples", examples] as const]) {
    if (!Array.isArray(list) || list.every((value) => mended(value) === value)) continue;
    const values = [...new Set(list.map(mended).filter((value) => value !== undefined))];
    change(keyword, list, values.length === 0 ? undefined : values);
  }
  return changes;
}

/** The value as one of the types: itself, or the number, boolean or text that it spells. Undefined if it spells something else. */
function valueOf(value: unknown, types: readonly string[]): unknown {
  if (types.some((type) => isOfType(value, type))) return value;
  if (types.includes("string") && (typeof value === "number" || typeof value === "boolean")) return String(value);
  const spelled = typeof value === "string" ? spelledIn(value) : undefined;
  return spelled !== undefined && types.some((type) => isOfType(spelled, type)) ? spelled : undefined;
}

/** The number, unless it would be rounded, or the boolean that a text spells. */
function spelledIn(text: string): number | boolean | undefined {
  if (text === "true" || text === "false") return text === "true";
  const number = NUMBER.test(text) ? Number(text) : NaN;
  return Number.isNaN(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? undefined : number;
}
