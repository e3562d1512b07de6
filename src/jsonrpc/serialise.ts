/**
 * Messages to text: the one way out, for every transport and both roles.
 *
 * The text never holds a raw line break, so it may be written as a line, unless a `JsonText` brought one along.
 */
import { type Outgoing } from "./incoming.ts";
import { isBatch } from "./message.ts";
import { isJsonObject, JsonText, type JsonObject, type JSONRPCMessage, type JSONRPCResponse } from "./message.ts";

/** What many results begin with: at least one member. */
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
 * A result that begins with members many others begin with, such as who made it: their text is made once.
 *
 * It is written or copied, and not read: its members are not where those of an ordinary result are.
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

  /** Its members in two parts: to join them costs as much as to copy them. */
  get parts(): readonly JsonObject[] {
    return [this.#head.members, this.#rest];
  }

  /** Its JSON text. @throws TypeError for what has no JSON form */
  stringify(): string {
    const rest = JSON.stringify(this.#rest);
    return this.#head.text + (rest === "{}" ? "}" : `,${rest.slice(1)}`);
  }
}

/**
 * The JSON text of a message or a batch. A {@link JsonText} result is written as it stands, without being parsed again.
 *
 * @throws TypeError where it cannot be written: a cycle, a BigInt, a result that is nothing in JSON
 */
export function stringifyMessage(message: Outgoing): string {
  return isBatch(message) ? `[${message.map(stringifyOne).join(",")}]` : stringifyOne(message);
}

/**
 * The JSON text of a result.
 * @throws TypeError for what has no JSON form, or is no object in JSON
 */
export function stringifyResult(result: JsonObject): string {
  if (result instanceof HeadedResult) return result.stringify();
  const text: string | undefined = JSON.stringify(result);
  // What JSON drops (a function, a `toJSON` that returns undefined) would leave a response that is none. Not looked at without
  // need: V8 makes a text in pieces, and joins them for whoever looks, which writing does once for all messages.
  if (text !== undefined && (isPlain(result) || text.startsWith("{"))) return text;
  throw new TypeError("A result must be an object");
}

/** Whether it is nothing but its members, in JSON too. */
function isPlain(value: unknown): boolean {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype && value["toJSON"] === undefined;
}

function withoutResult(message: Exclude<JSONRPCMessage, JSONRPCResponse>): string {
  if (!("method" in message) || "id" in message || message.params === undefined) return JSON.stringify(message);
  return stringifyNotification(message.method, message.params);
}

function stringifyOne(message: JSONRPCMessage): string {
  if (!("result" in message)) return withoutResult(message);
  const { id, result } = message;
  const text = result instanceof JsonText ? result.text : stringifyResult(result);
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":${text}}`;
}

/** The text around the number of the last step of progress: mostly the next differs in the number only. */
let latest: { readonly token?: unknown; readonly total?: unknown; readonly around: readonly string[] } = { around: [] };

/** The JSON text of a notification: what runs thousands of times within one request. */
export function stringifyNotification(method: string, params: JsonObject): string {
  if (method !== "notifications/progress" || !isStep(params)) return JSON.stringify({ jsonrpc: "2.0", method, params });
  const { progressToken: token, progress, total } = params;
  if (token !== latest.token || total !== latest.total) {
    const text = JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, progress: 0 } });
    // The member itself: within a string its quotes would be escaped.
    latest = { token, total, around: text.split(/(?<="progress":)0/) };
  }
  return `${latest.around[0]!}${progress}${latest.around[1]!}`;
}

/** Whether it says nothing but how far what is. */
function isStep(params: JsonObject): params is JsonObject & { progress: number } {
  const { progressToken: token, progress, total } = params;
  const members = total === undefined ? 2 : 3;
  if (params["toJSON"] !== undefined || Object.keys(params).length !== members) return false;
  return (typeof token === "string" || typeof token === "number") && Number.isFinite(progress);
}
