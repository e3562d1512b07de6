/**
 * Makes the request of a call: the URL from the path and the query, headers, cookies and the body.
 *
 * Security: the URL is below the server's URL whatever the arguments are. A value cannot become a segment such as `..`, and no value
 * becomes a header of its own.
 */
import { ARGUMENT_KEY } from "../../base/argument-keys.ts";
import { stringifyExact } from "../../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { ArgumentError } from "../document/errors.ts";
import type { NamedArguments } from "../schema/argument-names.ts";
import type { Body } from "../schema/body.ts";
import { encodeBody, type ReadFile } from "./encode-body.ts";
import { isJsonType, memberOf } from "../document/values.ts";
import type { ApiRequest } from "./api-fetch.ts";
import { writingOf, type Parameter } from "../schema/parameters.ts";
import { percentEncoded, toScalar, writeValue } from "../schema/style.ts";
import { exactArguments } from "../schema/wide-integers.ts";

export interface RequestPlan {
  readonly method: string;
  readonly path: string;
  readonly base: URL;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  /** Whether the arguments that belong to no parameter are the body's properties. */
  readonly isFlat: boolean;
  readonly accept: string;
  /** The schema of the arguments, and the names that the API gives to the members of its body. */
  readonly named: NamedArguments;
}

export const BODY_ARGUMENT = "body";

/** @throws ArgumentError that names the argument that cannot be sent */
export async function toRequest(plan: RequestPlan, given: JsonObject, readFile: ReadFile | undefined): Promise<ApiRequest> {
  const args = exactArguments(given);
  const parts: RequestParts = { path: new Map(), query: [], cookies: [], headers: { accept: plan.accept, "user-agent": "tenon" } };
  for (const parameter of plan.parameters) {
    const value = memberOf(args, parameter.argument) ?? ownNamed(args, parameter);
    if (value !== undefined) await naming(parameter.argument, () => place(parameter, value, parts));
  }
  const url = urlOf(plan, parts);
  const { headers } = parts;
  if (parts.cookies.length > 0) headers["cookie"] = parts.cookies.join("; ");
  const request = { method: plan.method, url, headers };
  const value = plan.body && bodyIn(plan, plan.named.restore(args));
  if (plan.body === undefined || value === undefined) return request;
  const { body } = plan;
  const { contentType, content } = await naming(BODY_ARGUMENT, () => encodeBody(value, body, readFile));
  headers["content-type"] = contentType;
  return { ...request, body: content };
}

/** Programs that call `request()` may use the API's own name of a parameter, such as `filter[name]`. */
function ownNamed(args: JsonObject, { writing: { name } }: Parameter): unknown {
  return ARGUMENT_KEY.test(name) ? undefined : memberOf(args, name);
}

interface RequestParts {
  /** Encoded values of the path's variables. */
  readonly path: Map<string, string>;
  readonly query: string[];
  readonly cookies: string[];
  readonly headers: Record<string, string>;
}

/** Adds the name of the argument to an error. */
async function naming<T>(argument: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ArgumentError ? new ArgumentError(`The argument ${JSON.stringify(argument)} ${error.message}`) : error;
  }
}

function place(parameter: Parameter, value: unknown, parts: RequestParts): void {
  const { name } = parameter.writing;
  const written = writtenValue(parameter, value);
  switch (parameter.place) {
    case "path":
      if (written === undefined) throw new ArgumentError("must have a value, because it is part of the path");
      parts.path.set(name, written);
      break;
    case "query":
    case "querystring":
      if (written !== undefined && written !== "") parts.query.push(written);
      break;
    case "header":
      if (written !== undefined) parts.headers[name.toLowerCase()] = headerValue(written);
      break;
    case "cookie":
      if (written !== undefined) parts.cookies.push(written);
  }
}

/** The written value of a parameter, by its media type or its style. */
function writtenValue({ mediaType, place, writing }: Parameter, value: unknown): string | undefined {
  if (mediaType === undefined) return writeValue(value, writing);
  if (place === "querystring")
    return mediaType === "application/x-www-form-urlencoded"
      ? formOf(value)
      : writing.encode(isJsonType(mediaType) ? stringifyExact(value) : toScalar(value));
  return writeValue(isJsonType(mediaType) ? stringifyExact(value) : toScalar(value), writing);
}

function formOf(value: unknown): string {
  if (!isJsonObject(value)) throw new ArgumentError("must be an object, because it is sent as a form");
  const parts = Object.entries(value).map(([name, member]) => writeValue(member, writingOf(name, "query", {})));
  return parts.filter((part) => part !== undefined).join("&");
}

function headerValue(text: string): string {
  if (!/^[\t\x20-\x7E\x80-\xFF]*$/.test(text)) throw new ArgumentError("has line breaks or characters that a header cannot have");
  return text.trim();
}

/** @throws ArgumentError if the path would lead elsewhere */
function urlOf({ base, path, parameters }: RequestPlan, parts: RequestParts): string {
  const [way = "", fixedQuery] = path.split("#", 1)[0]!.split("?", 2);
  const names = new Map(parameters.filter((each) => each.place === "path").map((each) => [each.writing.name, each.argument]));
  const segments = way.split("/").map((segment) => {
    if (!segment.includes("{")) return fixedSegment(segment);
    const filled = segment.replace(/\{([^{}]+)\}/g, (_, name: string) => {
      const value = parts.path.get(name);
      if (value === undefined) throw new ArgumentError(`The argument ${JSON.stringify(names.get(name) ?? name)} is missing`);
      return value;
    });
    if (["", ".", ".."].includes(filled)) throw new ArgumentError(`The path ${path} must not have a segment that is empty, "." or ".."`);
    return filled;
  });
  const full = `${base.pathname.replace(/\/$/, "")}${segments.join("/")}`;
  const query = [...(fixedQuery === undefined ? [] : [fixedQuery]), ...parts.query].join("&");
  const url = `${base.origin}${full}${query === "" ? "" : `?${query}`}`;
  if (!URL.canParse(url) || new URL(url).pathname !== full) throw new ArgumentError("The path would lead to another place of the API");
  return url;
}

/** A segment of the document's own: encoded where a URL needs it. */
function fixedSegment(segment: string): string {
  return segment.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@%]/gu, percentEncoded);
}

function bodyIn({ parameters, isFlat }: RequestPlan, args: JsonObject): unknown {
  if (!isFlat) return memberOf(args, BODY_ARGUMENT);
  const used = new Set(parameters.flatMap(({ argument, writing: { name } }) => (ARGUMENT_KEY.test(name) ? [argument] : [argument, name])));
  const rest = Object.entries(args).filter(([name]) => !used.has(name));
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}
