/**
 * Versions of a tool or a prompt: several definitions that have one name.
 *
 * Each is registered under a key of its own, such as `search.v2`, which callers can use as a name. The plain name means the newest
 * version that its caller may see.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { VERSION_KEY } from "../../protocol/tenon-keys.ts";
import type { FeatureKind } from "../../session/feature-filter.ts";
import type { FeatureOptions } from "./feature-options.ts";

/** In the `_meta` of a listed tool or prompt: its versions that the caller may use, the newest first. */
export const VERSIONS_KEY = "dev.tenon/versions";

const VERSION = /^[A-Za-z0-9_.-]{1,64}$/;

/** The version of a definition among others of its name. Only tools and prompts have versions; for resources the option only selects. */
export function versionOf(kind: FeatureKind | undefined, options: FeatureOptions): string | undefined {
  return kind === "tool" || kind === "prompt" ? options.version : undefined;
}

/** The key of a version: `search.v2`. Without a version it is the name. */
export function keyOf(name: string, version: string | undefined): string {
  return version === undefined ? name : `${name}.v${version}`;
}

export function nameOf(key: string, version: string | undefined): string {
  return version === undefined ? key : key.slice(0, -`.v${version}`.length);
}

/** @throws RangeError if it is not 1 to 64 of `A-Za-z0-9_.-`: callers use it in names */
export function assertVersion(what: string, version: string | undefined): void {
  if (version === undefined || (typeof version === "string" && VERSION.test(version))) return;
  throw new RangeError(`${what}: the version ${JSON.stringify(version)} must be 1 to 64 of A-Z a-z 0-9 _ . -`);
}

/** The version that a request is for, unchecked; undefined if it does not say. */
export function versionIn({ _meta }: JsonObject): unknown {
  return isJsonObject(_meta) ? _meta[VERSION_KEY] : undefined;
}

/** The message for a name that is unknown to the caller. It depends on the request only, so that it does not reveal what is hidden. */
export function unknownName(what: string, name: string, params: JsonObject): string {
  const version = versionIn(params);
  return version === undefined ? `Unknown ${what}: ${name}` : `Unknown ${what}: ${name}, version ${JSON.stringify(version)}`;
}

let collator: Intl.Collator | undefined;

/**
 * Sorts older versions first. Numbers are compared as numbers: `1.10` is newer than `1.9`. A version with a suffix after `-` is older than
 * the same one without: `2.0.0-beta` is older than `2.0.0`.
 */
export function compareVersions(a: string, b: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  // A colon sorts after "-" and before ".", so that the end of a version does too.
  const order = collator.compare(`${a}:`, `${b}:`);
  if (order !== 0 || a === b) return order;
  return a < b ? -1 : 1; // "1" and "01"
}

interface Versioned {
  readonly name: string;
  readonly version?: string | undefined;
}

/** The versions of each name, the newest first. */
export class Families<E extends Versioned> {
  readonly #families = new Map<string, readonly E[]>();

  has(name: string): boolean {
    return this.#families.has(name);
  }

  add(entry: E): void {
    const all = [...(this.#families.get(entry.name) ?? []), entry];
    this.#families.set(
      entry.name,
      all.sort((a, b) => compareVersions(b.version!, a.version!)), // each entry here has one
    );
  }

  remove(entry: E): void {
    const others = this.#families.get(entry.name)?.filter((other) => other !== entry) ?? [];
    if (others.length > 0) this.#families.set(entry.name, others);
    else this.#families.delete(entry.name);
  }

  /** The newest version of a name that `isMeant`. */
  newest(name: string, isMeant: (entry: E) => boolean): E | undefined {
    return this.#families.get(name)?.find(isMeant);
  }

  /** The newest entry of each name, in order, with the versions of its older entries. */
  elect(entries: readonly E[]): { readonly entry: E; readonly versions?: readonly string[] }[] {
    const members = new Set(entries);
    return entries.flatMap((entry) => {
      if (entry.version === undefined) return { entry };
      const family = this.#families.get(entry.name)!.filter((other) => members.has(other)); // it is one of them
      return family[0] === entry ? { entry, versions: family.map(({ version }) => version!) } : [];
    });
  }
}
