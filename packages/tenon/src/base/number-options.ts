/**
 * Options that are numbers: one line of one table has the name, the default and the least of each.
 *
 * The table is also the table of names for `assertKnown`. The interface beside it has the sentences that users read; a test compares the
 * defaults in them with the table.
 */

/** An option that is a number: its default and the least that it may be. With `"ms"` it is a time, which may be `Infinity`. */
export type NumberOption = readonly [preset: number, least: number, unit?: "ms"];

export type NumberTable<Options> = { readonly [Key in keyof Options]-?: NumberOption };

/**
 * The given options with the defaults of the others. Names that the table does not have are left out.
 * @param group the option that they are in, for the error: `limits`
 * @throws RangeError if one is too small or not a number
 */
export function withPresets<Options>(table: NumberTable<Options>, given: Partial<Options> = {}, group?: string): Options {
  const entries = Object.entries<NumberOption>(table).map(([name, [preset, least, unit]]) => {
    const value = given[name as keyof Options] as number | undefined; // the table has its names
    if (value === undefined) return [name, preset];
    const option = group === undefined ? name : `${group}.${name}`;
    return [name, unit === "ms" ? assertDuration(option, value) : assertAtLeast(option, value, least)];
  });
  return Object.fromEntries(entries) as Options; // with all names of the table
}

/** @throws RangeError if `ms` is negative or not a number */
export function assertDuration(name: string, ms: number): number {
  if (typeof ms === "number" && ms >= 0) return ms;
  throw new RangeError(`Option "${name}" must be a number of milliseconds >= 0 or Infinity, not ${shown(ms)}`);
}

/** @throws RangeError if `value` is less than `min`, or not a number */
export function assertAtLeast(name: string, value: number, min: number): number {
  // A program without types may pass a text, which compares as a number does.
  if (typeof value === "number" && value >= min) return value;
  throw new RangeError(`Option "${name}" must be a number >= ${min}, not ${shown(value)}`);
}

/** Texts in quotes, so that "10" differs from 10. */
export function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
