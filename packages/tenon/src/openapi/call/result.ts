/** What a response of the API becomes: text and structured content, an image, a file, or a failure that the model reads. */
import { decodeUtf8 } from "../../base/bytes.ts";
import { withIntegersAsText } from "../../jsonrpc/exact-numbers.ts";
import { isJsonObject } from "../../jsonrpc/message.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { FAILURE_KEY } from "../../protocol/tenon-keys.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { CallToolResult } from "../../protocol/tools.ts";
import { audio, file, image, resourceLink, text } from "../../server/features/content.ts";
import { ToolError } from "../../server/features/tool-error.ts";
import { essenceOf, isJsonType, isTextType, shortened, textIn } from "../document/values.ts";
import type { Parameter } from "../schema/parameters.ts";
import { withoutSecrets } from "./security.ts";
import type { Received } from "./send.ts";

/** Most characters of a failure's text. */
const MAX_FAILURE = 4_096;
/** Bytes of a file that is put into the result; a larger one becomes a link. */
const MAX_EMBEDDED = 256 * 1024;

export interface ResponsePlan {
  readonly method: string;
  /** The URL of the request, without credentials. */
  readonly url: string;
  readonly secrets: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly maxResponseBytes: number;
}

/** The result of a call, before an output schema is applied. @throws ToolError for a status from 300 on */
export function toResult(received: Received, plan: ResponsePlan): CallToolResult {
  const { status, bytes, isCut } = received;
  if (status >= 300) throw new ToolError(failureText(received, plan), { _meta: { [FAILURE_KEY]: { code: String(status), status } } });
  const type = received.header("content-type") ?? "";
  if (plan.method === "HEAD" || bytes.length === 0) return { content: [text(statusLine(status))] };
  if (!isJsonType(type) && !isTextType(type) && type !== "") return { content: [blockOf(received, plan, essenceOf(type))] };
  const whole = decode(bytes);
  const content: ContentBlock[] = [
    text(isCut ? `${whole}\n[The rest is left out: the response is longer than ${plan.maxResponseBytes} bytes]` : whole),
  ];
  const next = nextPage(received.header("link"), plan);
  if (next !== undefined) content.push(text(next));
  const value = isCut || (!isJsonType(type) && type !== "") ? undefined : jsonOf(whole);
  if (value === undefined) return { content };
  return { content, structuredContent: isJsonObject(value) ? value : { result: value } };
}

/** The value of a JSON text; undefined if it is not JSON, or too large to be data. */
function jsonOf(source: string): unknown {
  try {
    // In a list, so that a number alone has a holder too.
    const list = parseJson(`[${source}]`, { depth: 129, nodes: 1_000_001 }) as unknown[];
    return list.length === 1 ? (withIntegersAsText(list) as unknown[])[0] : undefined;
  } catch {
    return undefined; // the text of the result has it
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeUtf8([bytes]);
  } catch {
    return new TextDecoder().decode(bytes); // cut in the middle of a character, or of another encoding
  }
}

function blockOf({ bytes, isCut }: Received, { url, maxResponseBytes }: ResponsePlan, type: string): ContentBlock {
  if (isCut)
    throw new ToolError(
      `The response is longer than ${maxResponseBytes} bytes (option "maxResponseBytes"), and its type ${type} cannot be cut`,
    );
  if (type.startsWith("image/")) return image(bytes, type);
  if (type.startsWith("audio/")) return audio(bytes, type);
  if (bytes.length <= MAX_EMBEDDED) return file(url, bytes, type);
  return resourceLink({ uri: url, name: new URL(url).pathname, mimeType: type, size: bytes.length });
}

/** The status, what the server says, and when to try again; without the credentials of the request. */
function failureText(received: Received, { secrets }: ResponsePlan): string {
  const { status, bytes } = received;
  const retry = received.header("retry-after");
  const location = status < 400 ? received.header("location") : undefined;
  const lines = [statusLine(status)];
  if (retry !== undefined) lines.push(`Retry-After: ${shortened(retry, 100)}`);
  if (location !== undefined) lines.push(`Location: ${shortened(location, 1_000)}`);
  const type = received.header("content-type") ?? "";
  const said = type === "" || isJsonType(type) || isTextType(type) ? problemText(decode(bytes.subarray(0, MAX_FAILURE * 4)), type) : "";
  if (said !== "") lines.push(said);
  return shortened(withoutSecrets(lines.join("\n"), secrets), MAX_FAILURE);
}

/** The title and the detail of a problem (RFC 9457), or the whole text. */
function problemText(said: string, type: string): string {
  if (essenceOf(type) !== "application/problem+json") return said.trim();
  const problem = jsonOf(said);
  const [title, detail] = [textIn(problem, "title"), textIn(problem, "detail")];
  return title === undefined && detail === undefined ? said.trim() : [title, detail].filter((each) => each !== undefined).join(": ");
}

const REASONS: ReadonlyMap<number, string> = new Map([
  [200, "OK"],
  [201, "Created"],
  [202, "Accepted"],
  [204, "No Content"],
  [301, "Moved Permanently"],
  [302, "Found"],
  [303, "See Other"],
  [304, "Not Modified"],
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [405, "Method Not Allowed"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "Content Too Large"],
  [415, "Unsupported Media Type"],
  [422, "Unprocessable Content"],
  [429, "Too Many Requests"],
  [500, "Internal Server Error"],
  [502, "Bad Gateway"],
  [503, "Service Unavailable"],
  [504, "Gateway Timeout"],
]);

function statusLine(status: number): string {
  const reason = REASONS.get(status);
  return reason === undefined ? `HTTP ${status}` : `${status} ${reason}`;
}

/** Which arguments give the next page, if the response has a link to it (RFC 8288). */
function nextPage(link: string | undefined, { url, parameters }: ResponsePlan): string | undefined {
  const target = link?.slice(0, 16_384).match(/<([^<>]*)>[^<]*?;\s*rel="?(?:[^"<]*\s)?next\b/i)?.[1];
  if (target === undefined || !URL.canParse(target, url)) return undefined;
  const next = new URL(target, url).searchParams;
  const now = new URL(url).searchParams;
  const changed = parameters.filter(
    ({ place, writing }) => place === "query" && next.has(writing.name) && next.get(writing.name) !== now.get(writing.name),
  );
  if (changed.length === 0) return undefined;
  const args = Object.fromEntries(changed.map(({ argument, writing }) => [argument, next.get(writing.name)]));
  return `There is a next page: call this tool again with ${shortened(JSON.stringify(args), 1_000)}`;
}
