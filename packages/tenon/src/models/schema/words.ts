/** Says in words what a JSON Schema keyword demands, for the description that a model reads. */

type Say = (value: unknown) => string;

const counted = (count: unknown, noun: string): string => `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
const list: Say = (value) => JSON.stringify(value);
const WORDS: ReadonlyMap<string, Say> = new Map<string, Say>([
  ["minimum", (value) => `at least ${String(value)}`],
  ["maximum", (value) => `at most ${String(value)}`],
  ["exclusiveMinimum", (value) => `more than ${String(value)}`],
  ["exclusiveMaximum", (value) => `less than ${String(value)}`],
  ["multipleOf", (value) => `a multiple of ${String(value)}`],
  ["minLength", (value) => `at least ${counted(value, "character")}`],
  ["maxLength", (value) => `at most ${counted(value, "character")}`],
  ["pattern", (value) => `matches the regular expression ${String(value)}`],
  ["format", (value) => `format ${String(value)}`],
  ["minItems", (value) => `at least ${counted(value, "item")}`],
  ["maxItems", (value) => `at most ${counted(value, "item")}`],
  ["uniqueItems", (value) => (value === true ? "no item twice" : "")],
  ["minProperties", (value) => `at least ${counted(value, "member")}`],
  ["maxProperties", (value) => `at most ${counted(value, "member")}`],
  ["default", (value) => `default ${list(value)}`],
  ["dependentRequired", (value) => `members that need others: ${list(value)}`],
  ["propertyNames", (value) => `names of members match ${list(value)}`],
  ["patternProperties", (value) => `members by pattern: ${list(value)}`],
  ["not", (value) => `does not match ${list(value)}`],
  ["contains", (value) => `contains an item that matches ${list(value)}`],
  ["allOf", (value) => `also matches ${list(value)}`],
]);

/** The most characters of one keyword in words. Longer ones are left out. */
const MAX_WORDS = 500;

/** The keyword in words; undefined if there are none, or too many. */
export function inWords(keyword: string, value: unknown): string | undefined {
  const words = WORDS.get(keyword)?.(value);
  return words === undefined || words === "" || words.length > MAX_WORDS ? undefined : words;
}

export function describeAlso(description: unknown, words: readonly string[]): string | undefined {
  const own = typeof description === "string" ? description : "";
  if (words.length === 0) return own === "" ? undefined : own;
  const said = words.join("; ");
  const sentence = `${said[0]!.toUpperCase()}${said.slice(1)}.`;
  return own === "" ? sentence : `${own} (${said})`;
}
