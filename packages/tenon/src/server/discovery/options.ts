/** The option `discovery` of a server, and its defaults. */
import type { OptionKeys } from "../../base/known-options.ts";
import { withPresets, type NumberTable } from "../../base/number-options.ts";
import { SEARCH_KEYS, searchSettings, type SearchSettings, type ToolSearchOptions } from "../../search/search-options.ts";

/** Options of `discovery` of {@link McpServer}. */
export interface DiscoveryOptions extends ToolSearchOptions {
  /**
   * Tokens of the list of tools, as `tenon check` counts them (four characters each), above which a client is shown `search_tools`, `call_tool` and the
   * pinned tools in the place of all. It is compared with what this caller may see. Default 4 000.
   */
  above?: number;
}

const ABOVE: NumberTable<Pick<DiscoveryOptions, "above">> = { above: [4_000, 0] };

export const DISCOVERY_KEYS: OptionKeys<DiscoveryOptions> = { ...ABOVE, ...SEARCH_KEYS };

export interface DiscoverySettings extends SearchSettings {
  readonly above: number;
}

/** @throws TypeError if it is no object, or `pinned` is no list; RangeError if a number is out of range */
export function discoverySettings(given: DiscoveryOptions): DiscoverySettings {
  if (Object(given) !== given) throw new TypeError('Option "discovery" must be an object, such as { above: 4_000, pinned: ["help"] }');
  const { above } = withPresets(ABOVE, given, "discovery");
  return { above: above!, ...searchSettings("discovery", given) }; // with its default
}
