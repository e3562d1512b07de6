/** The options of a search of tools, and their defaults: `search` of a gateway and `discovery` of a server. */
import type { OptionKeys } from "../base/known-options.ts";
import { assertAtLeast } from "../base/number-options.ts";

export const SEARCH_TOOLS = "search_tools";
export const CALL_TOOL = "call_tool";
export const SEARCH_NAMES: ReadonlySet<string> = new Set([SEARCH_TOOLS, CALL_TOOL]);

/** Options of a search of tools: `search` of `createGateway`, and a part of `discovery` of `McpServer`. */
export interface ToolSearchOptions {
  /** Names of tools, as they are listed, that stay in the list beside `search_tools` and `call_tool`. Default: none. */
  pinned?: readonly string[];
  /** Tools in one result of `search_tools`. Default 8, at most 50. */
  results?: number;
  /** Words that mean the same as a word of a request, such as `{ pr: ["pull", "request"] }`. They are added to the built-in ones. */
  synonyms?: Readonly<Record<string, readonly string[]>>;
}

export const SEARCH_KEYS: OptionKeys<Omit<ToolSearchOptions, "synonyms">> & { readonly synonyms: 1 } = {
  pinned: 1,
  results: 1,
  synonyms: 1,
};
const MAX_RESULTS = 50;

export interface SearchSettings {
  readonly pinned: ReadonlySet<string>;
  readonly results: number;
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
}

/** @param option its name, for errors @throws TypeError if `pinned` is no list; RangeError if `results` is out of range */
export function searchSettings(option: string, { pinned = [], results = 8, synonyms = {} }: ToolSearchOptions): SearchSettings {
  if (!Array.isArray(pinned)) throw new TypeError(`Option "${option}.pinned" must be a list of names of tools`);
  assertAtLeast(`${option}.results`, results, 1);
  if (results > MAX_RESULTS) throw new RangeError(`Option "${option}.results" must be at most ${MAX_RESULTS}, not ${results}`);
  const own = Object.entries(synonyms).map(([word, same]) => [word.toLowerCase(), same] as const);
  return { pinned: new Set(pinned), results, synonyms: new Map(own) };
}
