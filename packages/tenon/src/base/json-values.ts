/** Compares JSON values: whether two are equal, and one canonical text for equal values. */

export interface StepBudget {
  /** @throws if too many steps were taken */
  spend(steps: number): void;
}

/**
 * Whether two JSON values are equal: `1` and `1.0` are the same, `1` and `true` are not, members have no order.
 * @param budget pays four steps for each pair of values that differ in identity
 */
export function isSameJson(a: unknown, b: unknown, budget?: StepBudget): boolean {
  if (a === b) return true;
  budget?.spend(4);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameJson(Reflect.get(a, key), Reflect.get(b, key), budget));
}

/** The JSON text of a value with the members of every object in one order, so that equal values have one text. */
export function canonicalJson(value: unknown): string {
  return write(value) ?? "null";
}

/** Undefined if JSON omits the value, as with `JSON.stringify`. */
function write(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item) ?? "null").join(",")}]`;
  if ("toJSON" in value && typeof value.toJSON === "function") return write((value.toJSON as () => unknown)());
  let members = "";
  for (const key of Object.keys(value).sort()) {
    const member = write(Reflect.get(value, key));
    if (member !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(key)}:${member}`;
  }
  return `{${members}}`;
}
