/** What changed in the definition of a server from one version of its file to the next, and what it means to clients. */
import { isSameJson } from "tenon/internal";
import type { JsonObject, Prompt } from "tenon";
import type { ListName } from "../channel.ts";
import type { Definition } from "../definition.ts";
import { schemaChanges, type Meaning, type SchemaChange } from "./schema-difference.ts";

export type EntryKind = "tool" | "prompt" | "resource" | "template" | "server";

export interface DefinitionChange {
  readonly sign: "+" | "-" | "~";
  readonly kind: EntryKind;
  readonly name: string;
  /** What changed in it; "" for an entry that is new or gone. */
  readonly what: string;
  readonly meaning: Meaning;
  /** What it means in words; "" if there is nothing to say. */
  readonly note: string;
}

export interface Difference {
  readonly changes: readonly DefinitionChange[];
  /** The lists that are not the same any more. */
  readonly lists: readonly ListName[];
  /** URIs of resources whose entry changed. */
  readonly resources: readonly string[];
}

export const NO_DIFFERENCE: Difference = { changes: [], lists: [], resources: [] };

export function differenceBetween(before: Definition, after: Definition): Difference {
  const { tools, prompts, resources, resourceTemplates } = before;
  const changes = [
    ...entryChanges("tool", byName(tools), byName(after.tools), toolDifference),
    ...entryChanges("prompt", byName(prompts), byName(after.prompts), promptChanges),
    ...entryChanges("resource", byUri(resources), byUri(after.resources), textChange),
    ...entryChanges("template", byTemplate(resourceTemplates), byTemplate(after.resourceTemplates), textChange),
    ...serverChanges(before, after),
  ];
  const isOther = (name: ListName): boolean =>
    !isSameJson(before[name], after[name]) || (name === "resources" && !isSameJson(resourceTemplates, after.resourceTemplates));
  return {
    changes,
    lists: (["tools", "prompts", "resources"] as const).filter(isOther),
    resources: changes.filter(({ kind, sign }) => kind === "resource" && sign === "~").map(({ name }) => name),
  };
}

type Entries = ReadonlyMap<string, object>;

function byName(entries: readonly { readonly name: string }[]): Entries {
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function byUri(entries: readonly { readonly uri: string }[]): Entries {
  return new Map(entries.map((entry) => [entry.uri, entry]));
}

function byTemplate(entries: readonly { readonly uriTemplate: string }[]): Entries {
  return new Map(entries.map((entry) => [entry.uriTemplate, entry]));
}

type Compare = (before: JsonObject, after: JsonObject) => SchemaChange[];

function entryChanges(kind: EntryKind, before: Entries, after: Entries, compare: Compare): DefinitionChange[] {
  const changes: DefinitionChange[] = [];
  for (const [name, entry] of after) {
    const old = before.get(name);
    if (old === undefined) changes.push({ sign: "+", kind, name, what: "", meaning: "compatible", note: "" });
    else if (!isSameJson(old, entry)) {
      for (const { path, what, meaning } of compare(old as JsonObject, entry as JsonObject))
        // entries are JSON
        changes.push({ sign: "~", kind, name, what: `${path} ${what}`.trim(), meaning, note: noteOn(path, meaning) });
    }
  }
  for (const name of before.keys())
    if (!after.has(name)) changes.push({ sign: "-", kind, name, what: "", meaning: "breaking", note: "clients that use it fail" });
  return changes;
}

function noteOn(path: string, meaning: Meaning): string {
  if (meaning === "text") return "models may choose differently; clients that pin the definition hold it back";
  if (meaning === "compatible") return "";
  return path.startsWith("output") ? "clients that rely on the result as it was may fail" : "clients that call it as before may fail";
}

export function toolDifference(before: JsonObject, after: JsonObject): SchemaChange[] {
  const changes = schemaChanges(before["inputSchema"], after["inputSchema"], "input", "input");
  const [old, now] = [before["outputSchema"], after["outputSchema"]];
  if (old === undefined && now !== undefined) changes.push({ path: "output", what: "new", meaning: "compatible" });
  else if (old !== undefined && now === undefined) changes.push({ path: "output", what: "gone", meaning: "breaking" });
  else changes.push(...schemaChanges(old, now, "output", "output"));
  return changes.length > 0 ? changes : textChange(before, after);
}

function promptChanges(before: JsonObject, after: JsonObject): SchemaChange[] {
  const changes = schemaChanges(toSchema(before), toSchema(after), "arguments", "input").filter(({ meaning }) => meaning !== "text");
  return changes.length > 0 ? changes : textChange(before, after);
}

/** The arguments of a prompt as an object of strings. */
function toSchema(prompt: JsonObject): JsonObject {
  const list = (prompt["arguments"] ?? []) as NonNullable<Prompt["arguments"]>; // a prompt of a list
  return {
    properties: Object.fromEntries(list.map(({ name }) => [name, {}])),
    required: list.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** What is neither a schema nor an argument is for people and models. */
function textChange(before: JsonObject, after: JsonObject): SchemaChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !isSameJson(before[name], after[name]));
  return [{ path: names.join(", "), what: "changed", meaning: "text" }];
}

/** What a client learns in its handshake only. */
function serverChanges(before: Definition, after: Definition): DefinitionChange[] {
  const parts = ["serverInfo", "instructions", "capabilities"] as const;
  return parts
    .filter((part) => !isSameJson(before[part] ?? null, after[part] ?? null))
    .map((part) => ({
      sign: "~",
      kind: "server",
      name: part === "serverInfo" ? "name or version" : part,
      what: "changed",
      meaning: "compatible",
      note: "clients with a handshake see it when they reconnect",
    }));
}
