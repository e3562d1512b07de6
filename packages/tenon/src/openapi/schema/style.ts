/**
 * The styles of parameters: how a value becomes a part of a path, a query, a header or a cookie.
 *
 * OpenAPI 3.1.1, Style Examples and Appendix C (RFC 6570). Everything but unreserved characters is percent-encoded, so that a value
 * never becomes a delimiter.
 */
import { NumberText, stringifyExact } from "../../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ArgumentError } from "../document/errors.ts";

export type ParameterPlace = "path" | "query" | "header" | "cookie" | "querystring";
export type ParameterStyle = "simple" | "label" | "matrix" | "form" | "spaceDelimited" | "pipeDelimited" | "deepObject" | "cookie";

/** How one named value is written. */
export interface Writing {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Whether an empty list is written as the name with an empty value. */
  readonly allowEmptyValue: boolean;
  readonly encode: Encode;
}

type Encode = (text: string) => string;
type Scalar = string;

/** The table of a style: before the first value, between values, whether names are written, and the form of an empty value. */
interface Form {
  readonly first: string;
  readonly between: string;
  readonly isNamed: boolean;
  readonly empty: string;
  /** Between the parts of a value that is not exploded. */
  readonly inside: string;
}

const QUERY: Form = { first: "", between: "&", isNamed: true, empty: "=", inside: "," };
const FORMS: Readonly<Record<Exclude<ParameterStyle, "deepObject">, Form>> = {
  simple: { first: "", between: ",", isNamed: false, empty: "", inside: "," },
  label: { first: ".", between: ".", isNamed: false, empty: "", inside: "," },
  matrix: { first: ";", between: ";", isNamed: true, empty: "", inside: "," },
  form: QUERY,
  spaceDelimited: { ...QUERY, inside: "%20" },
  pipeDelimited: { ...QUERY, inside: "%7C" },
  cookie: { ...QUERY, between: "; " },
};

/** Percent-encodes everything but letters, digits, `-`, `.`, `_` and `~`. @throws ArgumentError for half of a character */
export function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
  } catch {
    throw new ArgumentError("has half of a surrogate pair, which UTF-8 cannot express");
  }
}

/** Leaves the text of a cookie unchanged. @throws ArgumentError if it would end its cookie, so that no value becomes two */
export function cookieText(text: string): string {
  if (!/^[\x20-\x3A\x3C-\x7E]*$/.test(text)) throw new ArgumentError('has ";" or characters that a cookie cannot have');
  return text;
}

/** Leaves reserved characters and escapes as they are, except those that would end the value or the query (`allowReserved`). */
export function reservedKept(text: string): string {
  return text
    .split(/(%[0-9A-Fa-f]{2}|[:/?@!$'()*,;=])/)
    .map((part, index) => (index % 2 === 1 ? part.replace("'", "%27") : percentEncoded(part)))
    .join("");
}

function isMembers(value: unknown): value is JsonObject {
  return isJsonObject(value) && !(value instanceof NumberText);
}

/** The text of a value in its style; undefined if there is nothing to write (null, or an empty list). */
export function writeValue(value: unknown, writing: Writing): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (writing.style === "deepObject") return joined(deepPairs(writing.name, value), QUERY, writing.encode);
  const form = FORMS[writing.style];
  if (Array.isArray(value)) return writeList(value.filter((item) => item !== null).map(toScalar), form, writing);
  if (isMembers(value)) return writeMembers(value, form, writing);
  return form.first + named(writing.name, toScalar(value), form, writing.encode);
}

function writeList(items: readonly Scalar[], form: Form, { name, explode, allowEmptyValue, encode }: Writing): string | undefined {
  if (items.length === 0) return allowEmptyValue ? `${encode(name)}=` : undefined;
  if (explode) return form.first + items.map((item) => named(name, item, form, encode)).join(form.between);
  return form.first + wholeNamed(name, items.map(encode).join(form.inside), form, encode);
}

function writeMembers(value: JsonObject, form: Form, { name, explode, encode }: Writing): string | undefined {
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  if (members.length === 0) return undefined;
  const pairs = members.map(([key, member]): [string, string] => [encode(key), encode(toScalar(member))]);
  if (explode) return form.first + pairs.map((pair) => pair.join("=")).join(form.between);
  return form.first + wholeNamed(name, pairs.flat().join(form.inside), form, encode);
}

function named(name: string, item: Scalar, form: Form, encode: Encode): string {
  return wholeNamed(name, encode(item), form, encode);
}

/** `encoded` with the name before it, if the style writes names. */
function wholeNamed(name: string, encoded: string, form: Form, encode: Encode): string {
  if (!form.isNamed) return encoded;
  return encoded === "" ? encode(name) + form.empty : `${encode(name)}=${encoded}`;
}

/** The names and values of a nested value: `a[b][c]`, and `a[0]` for items of lists, as most servers read it. */
export function deepPairs(name: string, value: unknown): readonly (readonly [string, Scalar])[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => deepPairs(`${name}[${index}]`, item));
  if (isMembers(value)) return Object.entries(value).flatMap(([key, member]) => deepPairs(`${name}[${key}]`, member));
  return [[name, toScalar(value)]];
}

function joined(pairs: readonly (readonly [string, Scalar])[], { between }: Form, encode: Encode): string | undefined {
  return pairs.length === 0 ? undefined : pairs.map((pair) => pair.map(encode).join("=")).join(between);
}

/** A value inside a list or an object has no style of its own: an object or a list is written as JSON. */
export function toScalar(value: unknown): Scalar {
  return typeof value === "string" ? value : stringifyExact(value);
}
