/** Reads the response of a server that a peer named: limited in size, and only JSON, or a form where one is expected. */
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { parseJson } from "../jsonrpc/parse-json.ts";
import { AuthorizationError, type AuthorizationHop } from "./authorization-error.ts";
import type { AuthResponse } from "./web-fetch.ts";

export interface JsonDocument {
  /** The URL of the document, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: AuthResponse["headers"];
  /** Undefined if an unsuccessful response has no JSON object. */
  readonly json: JsonObject | undefined;
  /** Whether the URL was a guess and led to something else than JSON. */
  readonly isPage: boolean;
}

interface DocumentOptions {
  readonly hop: AuthorizationHop;
  readonly isGuess?: boolean;
  readonly isFormRead?: boolean;
  readonly maxBytes: number;
}

/** Reads a document. A successful one is a JSON object or empty. @throws AuthorizationError naming the hop and the URL */
export async function readDocument(url: string, response: AuthResponse, reading: DocumentOptions): Promise<JsonDocument> {
  const { status, headers } = response;
  const type = headers.get("content-type");
  const isSuccess = status >= 200 && status <= 299;
  if (reading.isGuess && isSuccess && type !== null && !isJson(type)) {
    discard(response);
    return { url, status, headers, json: undefined, isPage: true };
  }
  const text = await readText(url, response, reading);
  const json = isJson(type) ? tryParse(text) : reading.isFormRead === true && isForm(type) ? parseForm(text) : undefined;
  const bad = (problem: string): AuthorizationError =>
    new AuthorizationError({ hop: reading.hop, url, problem, remedy: "The operator of that server must repair this." });
  if (json === undefined && isSuccess && !(status === 204 || text === ""))
    throw bad(isJson(type) ? "the response is no JSON object" : "the response is not application/json");
  if (status === 0) throw bad("it redirects, which a browser does not let us check");
  return { url, status, headers, json, isPage: false };
}

async function readText(url: string, { body }: AuthResponse, { hop, maxBytes }: DocumentOptions): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => undefined); // nothing is read any more
      const cause = new LimitExceededError("maxDocumentBytes", maxBytes);
      const remedy = 'Raise option "maxDocumentBytes" if that server is to be trusted.';
      throw new AuthorizationError({ hop, url, problem: `the response is longer than ${maxBytes} bytes`, remedy, cause });
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Drops a body without reading it. */
export function discard({ body }: AuthResponse): void {
  body?.cancel().catch(() => undefined); // the body may have failed already
}

function isJson(contentType: string | null): boolean {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return type === "application/json" || /^application\/[a-z0-9.-]+\+json$/.test(type);
}

function isForm(contentType: string | null): boolean {
  return contentType?.split(";", 1)[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded";
}

/** The members of a form; undefined if one occurs twice. */
function parseForm(text: string): JsonObject | undefined {
  const entries = [...new URLSearchParams(text)];
  const members = Object.fromEntries(entries);
  return Object.keys(members).length === entries.length ? members : undefined;
}

function tryParse(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // the parser's error may quote secrets
  }
}

export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
