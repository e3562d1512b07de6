/** The option `spill`, of a tool, a server and a gateway. */
import { withPresets, type NumberTable } from "../base/number-options.ts";

/** What happens to a result whose text is too long for a model: see docs/servers/spill.md. All lengths are in characters, as JavaScript counts them. */
export interface SpillOptions {
  /** Characters of the text of a result above which it is replaced by a preview and a link. It is also the most that one call of `read_more` returns. Default 20 000. */
  above?: number;
  /** Characters of the preview, at most `above`. Default 2 000. */
  preview?: number;
  /** Milliseconds for which a result is kept, at most 10 years. Default 3 600 000 (an hour). */
  ttl?: number;
  /** Characters that are kept of one caller, in parts of 65 536. If there is no room, a result is sent whole, and `onError` is called. Default 8 388 608. */
  maxKept?: number;
  /** Characters that are kept of all callers in one store, in parts of 65 536. If there is no room, a result is sent whole, and `onError` is called. Default 33 554 432. */
  maxTotal?: number;
}

export const SPILL_KEYS: NumberTable<SpillOptions> = {
  above: [20_000, 1],
  preview: [2_000, 0],
  ttl: [3_600_000, 1],
  maxKept: [8_388_608, 1],
  maxTotal: [33_554_432, 1],
};
const MOST_TIME = 315_360_000_000;

export type SpillSettings = Required<SpillOptions>;

/**
 * The settings of one tool: its own options before the server's.
 * @returns undefined if its results stay whole
 * @throws TypeError if an option is no object and not true or false; RangeError if a number is out of range
 */
export function spillSettings(own: boolean | SpillOptions | undefined, general?: boolean | SpillOptions): SpillSettings | undefined {
  const options = own ?? general;
  if (options === undefined || options === false) return undefined;
  if (options !== true && Object(options) !== options)
    throw new TypeError('Option "spill" must be true, false or an object, such as { above: 20_000 }');
  const all = { ...(Object(general) === general && (general as SpillOptions)), ...(own !== true && (own as SpillOptions)) };
  const settings = withPresets<SpillOptions>(SPILL_KEYS, all, "spill") as SpillSettings; // with all names of the table
  // The default of a preview follows a limit that is smaller.
  if (all.preview === undefined) settings.preview = Math.min(settings.preview, settings.above);
  if (settings.preview > settings.above) throw new RangeError(`Option "spill.preview" must be at most "spill.above", ${settings.above}`);
  if (settings.ttl > MOST_TIME) throw new RangeError(`Option "spill.ttl" must be at most ${MOST_TIME} milliseconds, not ${settings.ttl}`);
  return settings;
}

export interface ToolSpill {
  readonly settings: SpillSettings;
  /** Called if a text cannot be kept. */
  readonly report: (error: unknown) => void;
}
