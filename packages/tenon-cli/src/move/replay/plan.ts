/**
 * What one client sends to both servers: all lists, calls of tools that say they are read-only, reads, prompts, completion, and mistakes.
 */
import { isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import { sampleOf } from "./sample.ts";

export interface PlannedRequest {
  readonly method: string;
  /** What it is about: the tool, the URI; "" for a list. */
  readonly name: string;
  readonly params: JsonObject;
}

/** Entries of the lists of a server, by the member that holds them. */
export type Lists = Readonly<Record<"tools" | "resources" | "resourceTemplates" | "prompts", readonly JsonObject[]>>;

export const LISTS = {
  tools: "tools/list",
  resources: "resources/list",
  resourceTemplates: "resources/templates/list",
  prompts: "prompts/list",
} as const;

/** Most entries of one list that are used. */
const MAX_EACH = 20;
const UNKNOWN = "tenon-move-no-such-name";

export function planOf(lists: Lists, capabilities: JsonObject): PlannedRequest[] {
  const has = (name: string): boolean => capabilities[name] !== undefined;
  return [
    { method: "ping", name: "", params: {} },
    { method: `tenon/${UNKNOWN}`, name: "", params: {} },
    ...Object.values(LISTS).map((method) => ({ method, name: "", params: {} })),
    ...(has("tools") ? toolCalls(lists.tools) : []),
    ...(has("resources") ? reads(lists.resources) : []),
    ...(has("prompts") ? promptRequests(lists.prompts) : []),
    ...(has("completions") ? completions(lists) : []),
  ];
}

const callOf = (name: string, args: unknown): PlannedRequest => ({ method: "tools/call", name, params: { name, arguments: args } });
const readOf = (uri: string): PlannedRequest => ({ method: "resources/read", name: uri, params: { uri } });
const promptOf = (name: string, args?: JsonObject): PlannedRequest => ({
  method: "prompts/get",
  name,
  params: { name, ...(args && { arguments: args }) },
});
const completionOf = (ref: JsonObject, name: string): PlannedRequest => ({
  method: "completion/complete",
  name: `${String(ref["name"] ?? ref["uri"])} ${name}`,
  params: { ref, argument: { name, value: "" } },
});

/** Only tools that say they are read-only are called: with arguments that fit, and with none where some are required. */
function toolCalls(tools: readonly JsonObject[]): PlannedRequest[] {
  const readOnly = tools.filter(({ annotations }) => isJsonObject(annotations) && annotations["readOnlyHint"] === true);
  const calls = readOnly.slice(0, MAX_EACH).flatMap(({ name, inputSchema }) => {
    const args = sampleOf(inputSchema);
    const isEmpty = isJsonObject(args) && Object.keys(args).length === 0;
    return [callOf(String(name), args), ...(isEmpty ? [] : [callOf(String(name), {})])];
  });
  return [...calls, callOf(UNKNOWN, {})];
}

function reads(resources: readonly JsonObject[]): PlannedRequest[] {
  return [...resources.slice(0, MAX_EACH).map(({ uri }) => readOf(String(uri))), readOf(`${UNKNOWN}://x`)];
}

function promptRequests(prompts: readonly JsonObject[]): PlannedRequest[] {
  const each = prompts.slice(0, MAX_EACH).flatMap((prompt) => {
    const args = argumentsOf(prompt).filter(({ required }) => required === true);
    return [
      promptOf(String(prompt["name"]), Object.fromEntries(args.map(({ name }) => [String(name), "a"]))),
      promptOf(String(prompt["name"])),
    ];
  });
  return [...each, promptOf(UNKNOWN)];
}

function argumentsOf(prompt: JsonObject): readonly JsonObject[] {
  const list = prompt["arguments"];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function completions({ prompts, resourceTemplates }: Lists): PlannedRequest[] {
  return [
    ...prompts.flatMap((prompt) =>
      argumentsOf(prompt).map(({ name }) => completionOf({ type: "ref/prompt", name: String(prompt["name"]) }, String(name))),
    ),
    ...resourceTemplates.flatMap(({ uriTemplate }) =>
      [...String(uriTemplate).matchAll(/\{[?&+#./;]?([\w.]+)/g)].map(([, name]) =>
        completionOf({ type: "ref/resource", uri: String(uriTemplate) }, name!),
      ),
    ),
  ].slice(0, MAX_EACH);
}
