/** Reads an OpenAPI document: an object, its text, or what its URL leads to. */
import { UrlPolicy } from "../auth/url-policy.ts";
import { OpenApiDocument } from "./document/document.ts";
import { OpenApiDocumentError } from "./document/errors.ts";
import type { OpenApiOptions, OpenApiSettings } from "./options.ts";
import { assertBounded, parseDocument } from "./document/parse-document.ts";
import { send, type SendOptions } from "./call/send.ts";

/** Reads the document that a program names. @throws OpenApiDocumentError, LimitExceededError; TypeError if `documentUrl` is no URL */
export async function readDocument(source: object | string | URL, settings: OpenApiSettings): Promise<OpenApiDocument> {
  const { limits } = settings;
  const url = urlIn(source);
  const text = url !== undefined ? await fetchText(url, settings) : source;
  if (typeof text === "object") assertBounded(text, limits);
  const document = new OpenApiDocument(typeof text === "string" ? await parseDocument(text, limits) : text, documentUrlIn(settings) ?? url);
  await document.references.load(settings);
  return document;
}

/** The URL that a document is fetched from; undefined if it is given itself. */
export function urlIn(source: object | string | URL): URL | undefined {
  return source instanceof URL || (typeof source === "string" && /^https?:\/\/\S+$/i.test(source)) ? new URL(source) : undefined;
}

/** @throws TypeError if it is not a URL */
function documentUrlIn({ documentUrl }: OpenApiOptions): URL | undefined {
  if (documentUrl === undefined) return undefined;
  const text = String(documentUrl);
  if (!URL.canParse(text)) throw new TypeError(`Option "documentUrl" must be a whole URL, not ${JSON.stringify(text)}`);
  return new URL(text);
}

/** Fetches a document whose URL the operator named. @throws OpenApiDocumentError */
async function fetchText(url: URL, settings: OpenApiSettings): Promise<string> {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new OpenApiDocumentError(`A document is fetched from https: or http:, not ${url.protocol}`);
  const { documentBytes } = settings.limits;
  const sending: SendOptions = { ...settings, policy: new UrlPolicy(settings, url), maxResponseBytes: documentBytes };
  const headers = { accept: "application/json, application/yaml;q=0.9, */*;q=0.5", "user-agent": "tenon" };
  try {
    const { status, bytes, isCut } = await send({ method: "GET", url: url.href, headers }, sending, undefined);
    if (status < 200 || status > 299) throw new OpenApiDocumentError(`The document at ${url.href} cannot be fetched: HTTP ${status}`);
    if (isCut)
      throw new OpenApiDocumentError(`The document at ${url.href} is longer than ${documentBytes} bytes (option "limits.documentBytes")`);
    return new TextDecoder().decode(bytes);
  } catch (cause) {
    if (cause instanceof OpenApiDocumentError) throw cause;
    const { message } = cause as Error; // whatever a fetch throws is the cause of an error of `send`
    throw new OpenApiDocumentError(`The document at ${url.href} cannot be fetched: ${message}`, { cause });
  }
}
