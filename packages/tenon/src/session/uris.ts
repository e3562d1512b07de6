/**
 * The URIs of many servers in one space: a URI stays as its server wrote it, unless it would lead to another server.
 *
 * Such a URI gets an alias that still parses: `files+file:///a`, or `ui://files+host/…`, because hosts test that scheme.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { SPILL_KEY } from "../protocol/tenon-keys.ts";

const PARTS = /^([a-z][a-z0-9+.-]*):(.*)$/is;
const VIEW = /^ui:\/\/(.*)$/is;

/** Characters of URIs that are compared with templates for one request, for one result, or for the list of one server. */
export const MAX_COMPARED = 4_000_000;

/** Bounds the work that the URIs of a server cause: many links times many templates would stop the process for seconds. */
export class MatchBudget {
  #left: number = MAX_COMPARED;

  /** Whether a URI of that length may still be compared with so many templates. */
  take(length: number, templates: number): boolean {
    const cost = length * templates;
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }
}

/** The name of a server as part of a scheme, which has no `_` and begins with a letter. */
export function schemeOf(prefix: string): string {
  const name = prefix.replaceAll("_", "-").toLowerCase();
  return /^[a-z]/.test(name) ? name : `s-${name}`;
}

export function aliasOf(scheme: string, uri: string): string {
  const view = VIEW.exec(uri);
  if (view !== null) return `ui://${scheme}+${view[1]!}`;
  const parts = PARTS.exec(uri);
  return parts === null ? `${scheme}+x:${uri}` : `${scheme}+${parts[1]!}:${parts[2]!}`;
}

/** Whether a URI names a view of a tool: a page that hosts show. Servers have equal ones without knowing of each other. */
export function isView(uri: string): boolean {
  return /^ui:/i.test(uri);
}

/**
 * Whether a URI belongs to a feature that a program makes and no person writes, a view of a tool or a skill: servers have equal ones without
 * knowing of each other, so one of them gets an alias.
 */
export function isMadeUri(uri: string): boolean {
  return /^(ui|skill):/i.test(uri);
}

/** The scheme of the server and its own URI, if `uri` has the form of an alias. */
export function fromAlias(uri: string): { readonly scheme: string; readonly uri: string } | undefined {
  const view = VIEW.exec(uri);
  const [head, rest] = view === null ? [PARTS.exec(uri)?.[1], PARTS.exec(uri)?.[2]] : [view[1], undefined];
  const at = head?.indexOf("+") ?? -1;
  if (head === undefined || at < 1) return undefined;
  const [scheme, own] = [head.slice(0, at), head.slice(at + 1)];
  if (view !== null) return { scheme, uri: `ui://${own}` };
  return { scheme, uri: own === "x" && !rest!.startsWith("//") ? rest! : `${own}:${rest!}` };
}

/** The member of `_meta` that named the page of a tool before `ui.resourceUri`. Hosts still read it. */
const OLD_PAGE = "ui/resourceUri";

/** Members of `_meta` with a URI in them, and what it is called there: the page of a tool, and the link of a result that was too long. */
const WITH_URI: readonly (readonly [member: string, uri: string])[] = [
  ["ui", "resourceUri"],
  [SPILL_KEY, "uri"],
];

/** Whether `_meta` names a page that a host shows, or the link of a result. */
export function hasMetaUri(meta: unknown): boolean {
  return isJsonObject(meta) && (meta[OLD_PAGE] !== undefined || WITH_URI.some(([member, uri]) => uriOf(meta[member], uri) !== undefined));
}

/** A tool or a result with the URIs that its `_meta` names as the caller sees them. Returns the same object if none changes. */
export function withMetaUris(item: JsonObject, outside: (uri: string) => string): JsonObject {
  const { _meta: meta } = item;
  if (!isJsonObject(meta) || !hasMetaUri(meta)) return item;
  const changed: { [member: string]: unknown } = {};
  const set = (uri: unknown, change: (outerUri: string) => void): void => {
    const outerUri = typeof uri === "string" ? outside(uri) : uri;
    if (outerUri !== uri) change(outerUri as string); // only a string changes
  };
  set(meta[OLD_PAGE], (outerUri) => (changed[OLD_PAGE] = outerUri));
  for (const [member, name] of WITH_URI)
    set(uriOf(meta[member], name), (outerUri) => (changed[member] = { ...(meta[member] as JsonObject), [name]: outerUri }));
  return Object.keys(changed).length === 0 ? item : { ...item, _meta: { ...meta, ...changed } };
}

function uriOf(holder: unknown, name: string): unknown {
  return isJsonObject(holder) ? holder[name] : undefined;
}

/** The result with the URIs that the caller sees; so is the result in the state of a task. Returns the same object if none changes. */
export function withUris(given: JsonObject, outside: (uri: string) => string): JsonObject {
  const { result: ofTask } = given;
  const inner = isJsonObject(ofTask) ? withOwnUris(ofTask, outside) : ofTask;
  return withOwnUris(inner === ofTask ? given : { ...given, result: inner! }, outside);
}

function withOwnUris(given: JsonObject, outside: (uri: string) => string): JsonObject {
  const result = withMetaUris(given, outside);
  const { content, contents, messages } = result;
  if (Array.isArray(content)) return withList(result, "content", (block) => blockWith(block, outside));
  if (Array.isArray(contents)) return withList(result, "contents", (part) => uriWith(part, outside));
  if (Array.isArray(messages))
    return withList(result, "messages", (message) => {
      const inner = blockWith(message["content"], outside);
      return inner === message["content"] ? message : { ...message, content: inner };
    });
  return result;
}

function withList(result: JsonObject, member: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const items = result[member] as readonly unknown[]; // an array, as its caller checked
  const changed = items.map((item) => (isJsonObject(item) ? change(item) : item));
  return changed.every((item, at) => item === items[at]) ? result : { ...result, [member]: changed };
}

function blockWith(block: unknown, outside: (uri: string) => string): JsonObject {
  if (!isJsonObject(block)) return block as JsonObject; // passed on unchanged
  if (block["type"] === "resource_link") return uriWith(block, outside);
  const { resource } = block;
  if (block["type"] !== "resource" || !isJsonObject(resource)) return block;
  const inner = uriWith(resource, outside);
  return inner === resource ? block : { ...block, resource: inner };
}

function uriWith(item: JsonObject, outside: (uri: string) => string): JsonObject {
  const { uri } = item;
  if (typeof uri !== "string") return item;
  const outerUri = outside(uri);
  return outerUri === uri ? item : { ...item, uri: outerUri };
}
