/** One request to the server, and its response before it becomes HTTP. */
import { jsonIn } from "../../jsonrpc/parse-json.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { isLoopbackOrigin } from "../../server/http/endpoint/guard.ts";
import { EMPTY_HEADERS, JSON_HEADERS, type HttpRequest, type HttpResponse, isJson } from "../../server/http/http-message.ts";
import { OAuthError } from "./oauth-error.ts";
import { Parameters } from "./parameters.ts";

/** A request whose body has been read. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly header: (name: string) => string | undefined;
  /** The parameters of the query, or of a posted form. */
  readonly parameters: Parameters;
  /** The body, if it is a JSON object. */
  readonly body: JsonObject | undefined;
  /** The error that a setting wants for an authorization request, once its client is known. */
  readonly refusal?: OAuthError;
}

export interface EndpointResponse {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
  readonly json?: JsonObject;
  /** Whether `json` is written as a form. */
  readonly isForm?: boolean;
  /** A page; `htmlPage` has its headers. */
  readonly html?: string;
  /** Sends the user there, with these parameters added. */
  readonly redirect?: Redirect;
}

export interface Redirect {
  readonly uri: string;
  readonly parameters: URLSearchParams;
}

export async function readExchange(request: HttpRequest, url: URL): Promise<Exchange> {
  const { method } = request;
  const header = (name: string): string | undefined => request.header(name);
  const common = { method, url, header, body: undefined };
  if (method !== "POST") return { ...common, parameters: new Parameters(url.searchParams) };
  const text = await request.text();
  const type = header("content-type");
  if (isForm(type)) return { ...common, parameters: new Parameters(new URLSearchParams(text)) };
  return { ...common, parameters: new Parameters(new URLSearchParams()), body: isJson(type) ? parseObject(text) : undefined };
}

function isForm(type: string | undefined): boolean {
  return type?.split(";", 1)[0]!.trim().toLowerCase() === "application/x-www-form-urlencoded";
}

function parseObject(text: string): JsonObject | undefined {
  const value = jsonIn(text);
  return isJsonObject(value) ? value : undefined;
}

/** @throws OAuthError if the body is not a form */
export function assertForm(exchange: Exchange): void {
  if (isForm(exchange.header("content-type"))) return exchange.parameters.assertNoneRepeated();
  throw new OAuthError("invalid_request", "The body must be a form: application/x-www-form-urlencoded");
}

export function json(status: number, json: JsonObject, headers?: readonly string[]): EndpointResponse {
  return { status, json, ...(headers && { headers }) };
}

export function errorResponse(error: OAuthError): EndpointResponse {
  return json(error.status, error.toJSON(), error.headers);
}

/** Every response is `no-store` (RFC 6749 section 5.1). */
export function toResponse({ status, headers = [], json, isForm = false, html, redirect }: EndpointResponse): HttpResponse {
  // `no-referrer` keeps the code out of the `Referer` header of later requests.
  if (redirect !== undefined)
    return { status, headers: [...EMPTY_HEADERS, ...headers, "Location", locationOf(redirect), "Referrer-Policy", "no-referrer"] };
  if (json !== undefined && isForm) return { status, headers: [...FORM_HEADERS, ...headers], body: formOf(json) };
  if (json !== undefined) return { status, headers: [...JSON_HEADERS, ...headers], body: JSON.stringify(json) };
  return html === undefined ? { status, headers: [...EMPTY_HEADERS, ...headers] } : { status, headers, body: html };
}

const FORM_HEADERS = [...EMPTY_HEADERS, "Content-Type", "application/x-www-form-urlencoded; charset=utf-8"];

function formOf(json: JsonObject): string {
  return new URLSearchParams(Object.entries(json).map(([name, value]) => [name, String(value)])).toString();
}

/** The registered URI, without normalization. */
function locationOf({ uri, parameters }: Redirect): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${parameters.toString()}`;
}

// ---- pages of this machine, on any port, may talk to the server as a browser client does: never `*`, never with cookies ----

/** The CORS headers of a response, as names and values in turn. */
export function corsHeaders(header: (name: string) => string | undefined): readonly string[] {
  const origin = header("origin");
  if (origin === undefined || !isLoopbackOrigin(origin)) return ["Vary", "Origin"];
  return ["Vary", "Origin", "Access-Control-Allow-Origin", origin, "Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate"];
}

export const PREFLIGHT: EndpointResponse = {
  status: 204,
  headers: [
    "Access-Control-Allow-Methods",
    "GET, POST",
    "Access-Control-Allow-Headers",
    "Accept, Authorization, Content-Type, DPoP, MCP-Protocol-Version",
  ],
};
