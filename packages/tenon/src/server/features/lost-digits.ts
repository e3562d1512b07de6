/**
 * Finds the integer of which a schema library has lost digits: it copies 1234567890123456789 as a number, which holds 1234567890123456800,
 * and a handler would act on something else. Loaded only after a message with such a number.
 */
import { replaceInexact } from "../../jsonrpc/exact-numbers.ts";

/** What is wrong with the arguments; undefined if nothing is lost. @param given what the client wrote @param read what the library made of it */
export function lostDigits(given: unknown, read: unknown): string | undefined {
  let lost: string | undefined;
  replaceInexact(given, (text, path, number) => {
    if (text !== undefined && /^-?\d+$/.test(text) && isNumeric(valueAt(read, path))) lost ??= path.join(".");
    return number;
  });
  return lost === undefined ? undefined : `${lost}: has more digits than a number can hold: give it as text`;
}

function isNumeric(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce(memberOf, value);
}

function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[key] : undefined; // any object may be asked
}
