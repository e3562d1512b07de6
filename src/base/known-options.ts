/**
 * Refuses options that do not exist. An option that is misspelled, or has another name in another library, would be ignored otherwise.
 *
 * It runs when something is made, registered, connected or served, never in a request. The keys of an options type are written out
 * beside the type, as `OptionKeys`: the compiler refuses a key that is missing there and a key that the type does not have.
 */
import { nearest } from "./nearest.ts";

/** The keys of an options type: each with 1, or with the keys of the options inside it. */
export type OptionKeys<Options> = { readonly [Key in keyof Options]-?: 1 | OptionKeys<NonNullable<Options[Key]>> };

/** What to write in place of keys that other libraries have, or that have moved: the option, or a sentence. */
export type Replacements = Readonly<Record<string, string>>;

/** Keys as this file reads them. */
type Keys = { readonly [key: string]: unknown };

/**
 * @param what whose options these are, for the error: `tool "add"`
 * @throws TypeError if `options` is no object, or has an option that does not exist
 */
export function assertKnown(what: string, options: object, known: Keys, replacements: Replacements = {}): void {
  // A program without types may pass anything.
  if ((options as unknown) === null || typeof options !== "object") throw new TypeError(`The options of ${what} must be an object`);
  for (const [key, value] of Object.entries(options) as [string, unknown][]) {
    const inside = Object.hasOwn(known, key) ? known[key] : undefined;
    if (inside === undefined) throw new TypeError(`Unknown option "${key}" of ${what}.${hint(key, known, replacements)}`);
    if (isKeys(inside) && typeof value === "object" && value !== null) assertKnown(`"${key}" of ${what}`, value, inside);
  }
}

function isKeys(value: unknown): value is Keys {
  return typeof value === "object";
}

function hint(key: string, known: Keys, replacements: Replacements): string {
  const paths = Object.entries(known).flatMap(([name, inside]) => [
    name,
    ...(isKeys(inside) ? Object.keys(inside) : []).map((own) => `${name}.${own}`),
  ]);
  const other = Object.hasOwn(replacements, key) ? replacements[key] : undefined;
  const meant = other ?? paths.find((path) => path.endsWith(`.${key}`)) ?? nearest(key, paths);
  if (meant === undefined) return ` There are: ${Object.keys(known).join(", ")}.`;
  return meant.includes(" ") ? ` ${meant}` : ` Did you mean "${meant}"?`;
}
