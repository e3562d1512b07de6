/**
 * Integers of 64 bits (`format: int64`), which JavaScript and many models cannot write as numbers.
 *
 * An argument may be their decimal text; it is sent as the API wants it, with all digits. A number that has lost its digits is
 * refused, because it would name something else. In results they are texts.
 */
import { NumberText, replaceInexact } from "../../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ArgumentError } from "../document/errors.ts";

const FORMATS: ReadonlySet<unknown> = new Set(["int64", "uint64", "int-64", "long", "bigint"]);
const DECIMAL = "^-?[0-9]{1,20}$";
const INTEGER = /^-?\d+$/;

/** The schema with decimal text beside the integer, if it is one of 64 bits. */
export function withDecimalText(copied: JsonObject, { type, format }: JsonObject): JsonObject {
  const types = [type].flat();
  const isWide = FORMATS.has(format) && types.some((name) => name === "integer" || name === "number");
  if (!isWide || types.includes("string") || copied["enum"] !== undefined || copied["const"] !== undefined) return copied;
  const wide: JsonObject = { ...copied, type: [...types, "string"], pattern: DECIMAL };
  // A bound beyond 2^53 is rounded, and a text has none.
  for (const bound of ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
    if (typeof wide[bound] === "number" && !Number.isSafeInteger(wide[bound])) delete wide[bound];
  return wide;
}

/** Whether a schema of a tool's arguments is one that {@link withDecimalText} made. */
export function takesDecimalText(schema: JsonObject): boolean {
  return schema["pattern"] === DECIMAL && Array.isArray(schema["type"]) && schema["type"].includes("string");
}

/** Arguments with the digits that the client wrote. @throws ArgumentError that names a number that has lost its digits */
export function exactArguments(args: JsonObject): JsonObject {
  const exact = replaceInexact(args, (text, path, number) => {
    if (text !== undefined && INTEGER.test(text)) return new NumberText(text);
    if (text !== undefined || !INTEGER.test(String(number))) return number; // written with the digits that count
    const advice = 'is a number with more digits than numbers can hold: give it as text, such as "1234567890123456789"';
    throw new ArgumentError(`The argument ${JSON.stringify(path.join("."))} ${advice}`);
  });
  return isJsonObject(exact) ? exact : args;
}
