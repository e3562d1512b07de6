/**
 * Refuses options that do not exist. An option that is misspelled, or has another name in another library, would be ignored otherwise.
 *
 * It runs when something is made, registered, connected or served, never in a request. The keys of an options type are written out
 * beside the type, as `OptionKeys`: the compiler refuses a key that is missing there and a key that the type does not have.
 */
import { nearest } from "./text/nearest.ts";
import type { NumberOption } from "./number-options.ts";

/** The keys of an options type: each with 1, with the default of a number, or with the keys of the options inside it. */
export type OptionKeys<Options> = { readonly [Key in keyof Options]-?: 1 | NumberOption | OptionKeys<NonNullable<Options[Key]>> };

/** Advice for keys that other libraries use. */
export type Replacements = Readonly<Record<string, string>>;

type Keys = { readonly [key: string]: unknown };

/**
 * Checks the names of options, also inside groups of options.
 * @param what the owner of the options, for the error: `tool "add"`
 * @throws TypeError if `options` is not an object, or has an option that does not exist
 */
export function assertKnown(what: string, options: object, known: Keys, replacements?: Replacements): void {
  // A program without types may pass anything.
  if (!isObject(options)) throw new TypeError(`The options of ${what} must be an object`);
  for (const key of Object.keys(options)) {
    if (!Object.hasOwn(known, key)) throw new TypeError(`Unknown option "${key}" of ${what}.${hint(key, known, replacements)}`);
    const [inside, value] = [groupOf(known[key]), options[key]];
    if (inside && isObject(value) && !Array.isArray(value)) assertKnown(`"${key}" of ${what}`, value, inside);
  }
}

function isObject(value: unknown): value is Keys {
  return typeof value === "object" && value !== null;
}

function groupOf(keys: unknown): Keys | undefined {
  return isObject(keys) && !Array.isArray(keys) ? keys : undefined;
}

function hint(key: string, known: Keys, replacements: Replacements = {}): string {
  if (Object.hasOwn(replacements, key)) return ` ${replacements[key]}`;
  const paths = Object.entries(known).flatMap(([name, inside]) => [
    name,
    ...Object.keys(groupOf(inside) ?? {}).map((own) => `${name}.${own}`),
  ]);
  const meant = paths.find((path) => path.endsWith(`.${key}`)) ?? nearest(key, paths);
  return meant === undefined ? ` There are: ${Object.keys(known).join(", ")}.` : ` Did you mean "${meant}"?`;
}
