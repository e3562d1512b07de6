/** `mcp.lock`: what callers depend on, as it was when it was last accepted, and what a difference means in the words of semver. */
import { readFile, writeFile } from "node:fs/promises";
import { isJsonObject, jsonIn } from "tenon/internal";
import type { Listing } from "../commands/collect.ts";
import { differenceBetween, type DefinitionChange } from "../dev/page/difference.ts";
import { UsageError } from "../failure.ts";
import type { Limits } from "./budget.ts";

export interface Lock {
  readonly lockVersion: 1;
  readonly budget?: Limits;
  readonly definition: Listing;
}

/** `breaking`: a caller may fail. `feature`: there is more. `fix`: only texts differ. `none`: nothing differs. */
export type Verdict = "breaking" | "feature" | "fix" | "none";

export interface LockReport {
  readonly verdict: Verdict;
  /** The version that the server should have next; undefined if it has no version of semver. */
  readonly next: string | undefined;
  /** Whether the server's version says what changed already. */
  readonly isAnnounced: boolean;
  readonly changes: readonly { readonly meaning: Verdict; readonly text: string; readonly tool?: string }[];
}

/** The file; undefined if there is none. @throws UsageError if it is not one */
export async function readLock(path: string): Promise<Lock | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new UsageError(`${path} cannot be read: ${error.code ?? error.message}.`, { cause: error });
  });
  if (text === undefined) return undefined;
  const value = jsonIn(text);
  if (isLock(value)) return value;
  throw new UsageError(`${path} is not a lock file that this version of tenon wrote. Write it anew with --update.`);
}

/** The lists of a definition, and the member by which the entries of each are known. */
const LISTS = { tools: "name", prompts: "name", resources: "uri", resourceTemplates: "uriTemplate" } as const;

/** Whether it has all that is compared: people merge such a file by hand. */
function isLock(value: unknown): value is Lock {
  const definition = isJsonObject(value) && value["lockVersion"] === 1 ? value["definition"] : undefined;
  if (!isJsonObject(definition) || !isJsonObject(definition["capabilities"])) return false;
  return Object.entries(LISTS).every(([name, key]) => {
    const list = definition[name];
    return Array.isArray(list) && list.every((entry) => isJsonObject(entry) && typeof entry[key] === "string");
  });
}

/** Writes the file: its keys and its lists in one order, so that a pull request shows what changed. */
export async function writeLock(path: string, definition: Listing, budget: Limits): Promise<void> {
  const lock: Lock = { lockVersion: 1, ...(Object.keys(budget).length > 0 && { budget }), definition: lockable(definition) };
  await writeFile(path, `${JSON.stringify(sorted(lock), undefined, 2)}\n`);
}

/** What callers depend on: no counts of the day, no URIs of resources that come and go without a template, and all tools, however many are shown. */
function lockable(listing: Listing): Listing {
  const { shown: _, ...all } = listing;
  return { ...all, resources: [] };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

const MEANINGS = { breaking: "breaking", compatible: "feature", text: "fix" } as const;
const ORDER: readonly Verdict[] = ["none", "fix", "feature", "breaking"];

export function compareWith(lock: Lock, now: Listing): LockReport {
  const before = lock.definition;
  const { changes } = differenceBetween(before, lockable(JSON.parse(JSON.stringify(now)) as Listing));
  const lines = changes
    .filter(({ kind, name }) => kind !== "server" || name === "instructions")
    .map((change) => ({
      meaning: change.kind === "server" ? ("fix" as const) : MEANINGS[change.meaning],
      text: sentenceOf(change),
      ...(change.kind === "tool" && { tool: change.name }),
    }));
  const verdict = lines
    .map(({ meaning }) => meaning)
    .reduce<Verdict>((worst, each) => (ORDER.indexOf(each) > ORDER.indexOf(worst) ? each : worst), "none");
  const old = before.serverInfo?.version;
  const next = nextVersion(old, verdict);
  const isAnnounced = verdict === "none" || (next !== undefined && !isBelow(now.serverInfo?.version ?? "", next));
  return { verdict, next, isAnnounced, changes: lines };
}

/** `breaking: "seats" of book is required now`, without the first word. */
function sentenceOf({ sign, kind, name, what }: DefinitionChange): string {
  const whose = kind === "tool" ? name : `the ${kind} ${name}`;
  if (sign === "+") return `${whose} is new`;
  if (sign === "-") return `${whose} is gone`;
  const [, part, path = "", rest = ""] = /^(input|output|arguments)((?:\.|\[\])\S*)? (.*)$/s.exec(what) ?? [];
  if (part === undefined) return `${whose}: ${what}`;
  const member = path.replace(/^\./, "");
  const subject = member === "" ? `the ${part} of ${whose}` : `\`${member}\` of ${whose}${part === "output" ? "'s result" : ""}`;
  if (rest === "new, required") return `${subject} is new and required`;
  if (rest === "new, optional") return `${subject} is new`;
  if (/^(required now|optional now|gone|new)$/.test(rest)) return `${subject} is ${rest}`;
  return `${subject}: ${rest}`;
}

const SEMVER = /^v?(\d+)\.(\d+)\.(\d+)/;

function nextVersion(version: string | undefined, verdict: Verdict): string | undefined {
  const [major, minor, patch] =
    SEMVER.exec(version ?? "")
      ?.slice(1)
      .map(Number) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  if (verdict === "none") return `${major}.${minor}.${patch}`;
  if (verdict === "fix") return `${major}.${minor}.${patch + 1}`;
  // Before 1.0.0 a break raises the second number, and everything else the third.
  if (major === 0) return verdict === "breaking" ? `0.${minor + 1}.0` : `0.${minor}.${patch + 1}`;
  return verdict === "breaking" ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`;
}

function isBelow(version: string, next: string): boolean {
  const [a, b] = [version, next].map((each) => SEMVER.exec(each)?.slice(1).map(Number) ?? []);
  for (let at = 0; at < 3; at++) if (a?.[at] !== b?.[at]) return (a?.[at] ?? -1) < (b?.[at] ?? 0);
  return false;
}
