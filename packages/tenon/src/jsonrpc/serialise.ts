/**
 * Serialises messages to text: the one exit for every transport, on clients and servers.
 *
 * The text has no raw line break, so it can be written as one line, unless a `JsonText` contains one.
 */
import { hasExactNumbers, stringifyExact } from "./exact-numbers.ts";
import { type Outgoing } from "./incoming.ts";
import { isBatch, isJsonObject, JsonText, type JsonObject, type JSONRPCMessage, type JSONRPCResponse } from "./message.ts";

/** Members that many results begin with: at least one. */
export class ResultHead {
  readonly members: JsonObject;
  /** Their JSON, without the closing brace. */
  readonly text: string;

  constructor(members: JsonObject) {
    this.members = members;
    this.text = JSON.stringify(members).slice(0, -1);
  }
}

/**
 * A result whose first members many results share, such as the server's identity: their text is made once.
 *
 * It can be written or copied, but not read: its members are not its properties.
 */
export class HeadedResult {
  [member: string]: unknown;
  readonly #head: ResultHead;
  readonly #rest: JsonObject;

  /** @param rest has none of the members of `head`, and no `toJSON` */
  constructor(head: ResultHead, rest: JsonObject) {
    this.#head = head;
    this.#rest = rest;
  }

  toJSON(): JsonObject {
    return { ...this.#head.members, ...this.#rest };
  }

  /** Its members in two parts: joining them costs as much as copying them. */
  get parts(): readonly JsonObject[] {
    return [this.#head.members, this.#rest];
  }

  /** Its JSON text. @throws TypeError if it has no JSON form */
  stringify(): string {
    if (hasLongText(this.#rest)) return stringify(this.toJSON());
    const rest = stringify(this.#rest);
    return this.#head.text + (rest === "{}" ? "}" : `,${rest.slice(1)}`);
  }
}

/** Characters of a text from which on it costs less to write the members of a head again than to join texts: V8 copies a joined text twice. */
const LONG_TEXT = 16_384;

/** Whether the content of a result has a long text, or the text of long bytes. */
function hasLongText(result: JsonObject): boolean {
  for (const name in result) {
    const list = result[name];
    if (Array.isArray(list) && list.some(isLongBlock)) return true;
  }
  return false;
}

function isLongBlock(block: unknown): boolean {
  if (!isJsonObject(block)) return false;
  const text = block["text"] ?? block["data"] ?? block["blob"];
  return typeof text === "string" && text.length >= LONG_TEXT;
}

/**
 * The JSON text of a message or a batch. A {@link JsonText} result is written unchanged, without parsing it again.
 *
 * @throws TypeError if it cannot be written: a cycle, a BigInt, or a result that is not an object in JSON
 */
export function stringifyMessage(message: Outgoing): string {
  return isBatch(message) ? `[${message.map(stringifyOne).join(",")}]` : stringifyOne(message);
}

/** The JSON text of a result. @throws TypeError if it has no JSON form, or is not an object in JSON */
export function stringifyResult(result: JsonObject): string {
  if (result instanceof HeadedResult) return result.stringify();
  const text: string | undefined = stringify(result);
  // A value that JSON drops (a function, or a `toJSON` that returns undefined) would leave a response without a result. The check
  // of the text comes last: V8 builds a text in pieces and joins them for the first reader, which should be the write.
  if (text !== undefined && (isPlain(result) || text.startsWith("{"))) return text;
  throw new TypeError("A result must be an object");
}

/** Whether a value is an object that JSON writes member by member. */
function isPlain(value: unknown): boolean {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype && value["toJSON"] === undefined;
}

function withoutResult(message: Exclude<JSONRPCMessage, JSONRPCResponse>): string {
  if (!("method" in message) || "id" in message || message.params === undefined) return stringify(message);
  return stringifyNotification(message.method, message.params);
}

function stringifyOne(message: JSONRPCMessage): string {
  if (!("result" in message)) return withoutResult(message);
  const { id, result } = message;
  const text = result instanceof JsonText ? result.text : stringifyResult(result);
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":${text}}`;
}

/** The text around the number of the last progress notification: usually the next one differs only in that number. */
let latest: { readonly token?: unknown; readonly total?: unknown; readonly around: readonly string[] } = { around: [] };

/** The JSON text of a notification: this may run thousands of times within one request. */
export function stringifyNotification(method: string, params: JsonObject): string {
  if (method !== "notifications/progress" || !isStep(params)) return stringify({ jsonrpc: "2.0", method, params });
  const { progressToken: token, progress, total } = params;
  if (token !== latest.token || total !== latest.total) {
    const text = JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, progress: 0 } });
    // The pattern matches the member itself: within a string its quotes would be escaped.
    latest = { token, total, around: text.split(/(?<="progress":)0/) };
  }
  return `${latest.around[0]!}${progress}${latest.around[1]!}`;
}

/** Whether params hold only progress: token, number and total. */
function isStep(params: JsonObject): params is JsonObject & { progress: number } {
  const { progressToken: token, progress, total } = params;
  let others = total === undefined ? -2 : -3;
  for (const _ in params) others++; // unlike `Object.keys` it makes no list
  if (params["toJSON"] !== undefined || others !== 0) return false;
  return (typeof token === "string" || typeof token === "number") && Number.isFinite(progress);
}

function stringify(value: unknown): string {
  return hasExactNumbers ? stringifyExact(value) : JSON.stringify(value);
}
