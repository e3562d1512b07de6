/** What a typed client was made from: a digest of each entry that a server offers, and the differences of two such lists. */
import { canonicalJson, isJsonObject, sha256Hex, jsonIn } from "tenon/internal";
import type { Offer } from "../terminal/listing-text.ts";

export interface Contract {
  readonly server: string;
  readonly revision: string;
  /** Of all names and schemas. */
  readonly digest: string;
  /** Of all titles and descriptions. */
  readonly texts: string;
  readonly entries: Readonly<Record<string, string>>;
}

export interface Drift {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Whether titles or descriptions differ. */
  readonly texts: boolean;
}

export async function contractOf({ serverInfo, protocolVersion, tools, prompts, resourceTemplates }: Offer): Promise<Contract> {
  const schemas = [
    ...tools.map(({ name, inputSchema, outputSchema }) => [`tool ${name}`, { inputSchema, outputSchema }] as const),
    ...prompts.map(({ name, arguments: list = [] }) => [`prompt ${name}`, list.map((one) => [one.name, one.required === true])] as const),
    ...resourceTemplates.map(({ uriTemplate }) => [`template ${uriTemplate}`, {}] as const),
  ];
  const entries = await Promise.all(schemas.map(async ([name, schema]) => [name, await digestOf(withoutTexts(schema))] as const));
  const sorted = Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return {
    server: serverInfo === undefined ? "" : `${serverInfo.name} ${serverInfo.version}`,
    revision: protocolVersion,
    digest: await digestOf(sorted),
    texts: await digestOf([tools, prompts, resourceTemplates].map((list) => list.map((item) => [item.name, item.title, item.description]))),
    entries: sorted,
  };
}

const TEXTS: ReadonlySet<string> = new Set(["title", "description", "examples", "$comment"]);

/** Texts of a schema do not change its types. Members of `properties` may have these names. */
function withoutTexts(value: unknown, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name, member]) => !(isSchema && TEXTS.has(name) && !isJsonObject(member)));
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      withoutTexts(member, !(isSchema && (name === "properties" || name === "$defs" || name === "definitions"))),
    ]),
  );
}

async function digestOf(value: unknown): Promise<string> {
  // What is undefined is left out, as on the wire.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return `sha256-${await sha256Hex(new TextEncoder().encode(canonicalJson(plain)))}`;
}

const CONTRACT = /^export const contract = (\{[\s\S]*?^\}) as const;$/m;

export function printContract(contract: Contract): string {
  return `export const contract = ${JSON.stringify(contract, undefined, 2)} as const;`;
}

/** The contract in a generated file; undefined if there is none. */
export function contractIn(text: string): Contract | undefined {
  const [, json] = CONTRACT.exec(text.replaceAll("\r\n", "\n")) ?? [];
  const found = json === undefined ? undefined : jsonIn(json);
  return isJsonObject(found) && isJsonObject(found["entries"]) ? (found as unknown as Contract) : undefined; // members are compared as they are
}

export function driftBetween(old: Contract, now: Contract): Drift {
  const names = Object.keys(now.entries);
  return {
    added: names.filter((name) => !Object.hasOwn(old.entries, name)),
    removed: Object.keys(old.entries).filter((name) => !Object.hasOwn(now.entries, name)),
    changed: names.filter((name) => Object.hasOwn(old.entries, name) && old.entries[name] !== now.entries[name]),
    texts: old.texts !== now.texts,
  };
}
