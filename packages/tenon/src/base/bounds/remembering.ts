/** Remembers what a function returned, for functions that are asked about the same few values at each request. */

/** Values that are remembered. All are forgotten when one more comes. */
const MAX_VALUES = 64;

/** The same function, which computes each of the last few values once. It must have no effects and return no `undefined`. */
export function remembering<Value, Result extends {}>(compute: (value: Value) => Result): (value: Value) => Result {
  const known = new Map<Value, Result>();
  return (value) => {
    let result = known.get(value);
    if (result === undefined) {
      if (known.size >= MAX_VALUES) known.clear();
      known.set(value, (result = compute(value)));
    }
    return result;
  };
}
