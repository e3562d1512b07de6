/** What a fuzz target is, and how it says that a rule is broken. */

export interface Target {
  readonly name: string;
  /** Inputs are changed as bytes, or as values of a JSON tree. */
  readonly kind: "text" | "json";
  /** The part of the inputs of a run that it tries, if one takes long. Default 1. */
  readonly share?: number;
  /** @throws if the input breaks a rule of the target */
  run(input: string): void | Promise<void>;
}

/** @throws Error that quotes what differs */
export function assertSame(what: string, actual: unknown, expected: unknown): void {
  const [one, other] = [show(actual), show(expected)];
  if (one !== other) throw new Error(`${what}: ${one.slice(0, 500)} and not ${other.slice(0, 500)}`);
}

export function assert(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** Text that is the same for equal values, whatever the order of members. */
function show(value: unknown): string {
  if (typeof value !== "object" || value === null)
    return value === undefined ? "undefined" : Object.is(value, -0) ? "-0" : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(show).join()}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}:${show(member)}`);
  return `{${members.sort().join()}}`;
}

/** Runs `work`, and returns what it threw if that is one of `allowed`. @throws any other error */
export function attemptOnly<T>(
  work: () => T,
  allowed: (error: unknown) => boolean,
): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    if (!allowed(error)) throw error;
    return { error };
  }
}
