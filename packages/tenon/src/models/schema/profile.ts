/** What a model's API accepts: names, JSON Schema keywords and limits. Data, so that a program can correct it when a provider changes. */
import { ARGUMENT_KEY } from "../../base/argument-keys.ts";

/** What one API accepts in the definitions of tools. Start from one of {@link profiles} to change it. */
export interface ModelProfile {
  /** Names the API and the mode, for messages. */
  readonly id: string;
  /** The month in which the rules were read, as `YYYY-MM`. */
  readonly asOf: string;
  /** Names of tools: what the whole name must match, and the most characters. */
  readonly names: { readonly pattern: RegExp; readonly max: number };
  /** What the keys of arguments must match, at any depth. Others are renamed for the model, and back before the call. Default: anything. */
  readonly parameterNames?: RegExp;
  /** The most tools of one request. Default: no limit. */
  readonly maxTools?: number;
  /** `"defs"`: `$ref` to `$defs` is kept. `"inline"`: each reference is replaced by its target, and a cycle is cut. */
  readonly refs: "defs" | "inline";
  /** Whether the root may be an `anyOf`. Otherwise the alternatives become one object. */
  readonly rootUnion: boolean;
  /** Whether `oneOf` is accepted. Otherwise it becomes `anyOf`. */
  readonly oneOf: boolean;
  /** Whether `allOf` is accepted. Otherwise its parts are merged. */
  readonly allOf: boolean;
  /** Whether objects may have members that they do not name. Strict modes do not allow it. */
  readonly openMaps: boolean;
  /** How "or null" is written: as an array of types, as `anyOf`, or as `nullable: true`. */
  readonly nullability: "type-array" | "anyOf" | "nullable";
  /**
   * The keywords that limit values and are accepted, beside types, `properties`, `items`, `enum`, `anyOf` and references. Those that hold
   * schemas, such as `not`, are never sent.
   */
  readonly keywords: ReadonlySet<string>;
  /** The values of `format` that are accepted. */
  readonly formats: ReadonlySet<string> | "any";
  /** The most levels of schemas inside each other. */
  readonly maxDepth: number;
  /** Whether every property must be required: an optional one becomes "or null", and null is taken out before the call. */
  readonly allRequired: boolean;
}

const LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const LENGTHS = ["minLength", "maxLength", "pattern", "minItems", "maxItems"];
const REST = ["additionalProperties", "minProperties", "maxProperties", "dependentRequired", "const", "uniqueItems", "default"];
const ALL: ReadonlySet<string> = new Set([...LIMITS, ...LENGTHS, ...REST]);
const STRICT_FORMATS: ReadonlySet<string> = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]);

const openai: ModelProfile = {
  id: "openai",
  asOf: "2026-11",
  names: { pattern: /^[A-Za-z0-9_-]+$/, max: 64 },
  parameterNames: ARGUMENT_KEY,
  maxTools: 128,
  refs: "defs",
  rootUnion: false,
  oneOf: true,
  allOf: true,
  openMaps: true,
  nullability: "type-array",
  keywords: ALL,
  formats: "any",
  maxDepth: 32,
  allRequired: false,
};

const anthropic: ModelProfile = {
  ...openai,
  id: "anthropic",
  names: { pattern: /^[A-Za-z0-9_-]+$/, max: 64 },
};

const gemini: ModelProfile = {
  ...openai,
  id: "gemini",
  names: { pattern: /^[A-Za-z_][A-Za-z0-9_-]*$/, max: 64 },
  refs: "inline",
  oneOf: false,
  allOf: false,
  nullability: "anyOf",
  keywords: new Set([...LIMITS.slice(0, 2), "minItems", "maxItems", "minLength", "maxLength", "pattern", "additionalProperties"]),
  formats: new Set(["date-time", "date", "time", "duration"]),
};

/** The profiles of the APIs that this module knows. Those named `…Strict` are of modes that make the model follow the schema exactly. */
export const profiles: {
  /** OpenAI, both APIs. */
  readonly openai: ModelProfile;
  /** OpenAI with `strict`: every member required, no open objects. */
  readonly openaiStrict: ModelProfile;
  /** Anthropic. */
  readonly anthropic: ModelProfile;
  /** Anthropic with `strict`: no limits of numbers and texts, no open objects. */
  readonly anthropicStrict: ModelProfile;
  /** Gemini, with `parametersJsonSchema`. */
  readonly gemini: ModelProfile;
  /** What all of them accept. */
  readonly common: ModelProfile;
} = {
  openai,
  openaiStrict: {
    ...openai,
    id: "openai strict",
    oneOf: false,
    allOf: false,
    openMaps: false,
    keywords: new Set([...LIMITS, "pattern", "minItems", "maxItems", "const"]),
    formats: STRICT_FORMATS,
    maxDepth: 10,
    allRequired: true,
  },
  anthropic,
  anthropicStrict: {
    ...anthropic,
    id: "anthropic strict",
    oneOf: false,
    allOf: false,
    openMaps: false,
    keywords: new Set(["const"]),
    formats: STRICT_FORMATS,
    allRequired: false,
  },
  gemini,
  /** What every known API accepts, for frameworks that hide which one it is. */
  common: { ...gemini, id: "common", nullability: "anyOf" },
};
