/** The work of `tenon types`: reads what a server offers, and writes its types or compares them with the types in a file. */
import { readFile, writeFile } from "node:fs/promises";
import { escapeInvisible, cleanLine, printableUrl } from "tenon/internal";
import { resolve } from "node:path";
import { collectAll, noteUnread } from "../commands/collect.ts";
import { withServer } from "../connection/connection.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { contractIn, contractOf, driftBetween, type Drift } from "./contract.ts";
import { MADE_BY, typedClient } from "./typed-client.ts";

export async function makeTypes(invocation: Invocation): Promise<Outcome> {
  const { values, shell } = invocation;
  const { output: file, check, strict } = values;
  if (check === true && file === undefined) throw new UsageError("--check needs the file to compare with: -o client.ts");
  if (file !== undefined && /\.([cm]?jsx?|json)$/i.test(file))
    throw new UsageError(`${file} would hold TypeScript: name a file that ends in .ts.`);
  if (strict === true && check !== true) throw new UsageError("--strict goes with --check.");
  const old = file === undefined ? undefined : await textIn(file, shell.cwd);
  if (check !== true && old !== undefined && !old.startsWith(MADE_BY) && values.yes !== true)
    throw new UsageError(`${file} was not made by this command, and is left as it is: name another file, or add --yes.`);
  const { listing: offer, unread } = await withServer(invocation, [], (client) => collectAll(client, invocation.signal));
  noteUnread(unread, invocation.terminal);
  const foundFaults = unread.length > 0;
  const contract = await contractOf(offer);
  if (check === true) {
    const outcome = compared(file!, old, contract, strict === true);
    return foundFaults ? { ...outcome, foundFaults } : outcome;
  }
  // Security: names and descriptions of the server stand in it, and source code must read as it runs.
  const text = escapeInvisible(await typedClient(offer, contract, sourceOf(invocation)));
  if (file === undefined) return { json: { contract, text }, text: () => text, foundFaults };
  await writeFile(resolve(shell.cwd, file), text).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file} cannot be written: ${cause.code === "ENOENT" ? "its folder does not exist" : (cause.code ?? cause.message)}.`,
      { cause },
    );
  });
  const { length } = Object.keys(contract.entries);
  return {
    json: { file, contract },
    foundFaults,
    text: () => `${file}: types of ${cleanLine(contract.server)}, ${length} ${length === 1 ? "entry" : "entries"}`,
  };
}

async function textIn(file: string, cwd: string): Promise<string | undefined> {
  return readFile(resolve(cwd, file), "utf8").catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw new UsageError(`${file} cannot be read: ${cause.code ?? cause.message}.`, { cause });
  });
}

/** Security: a URL without its query, the name of a file or of an entry, and nothing of a command, which may hold secrets. */
function sourceOf({ positionals: [typed = ""], words, values }: Invocation): string {
  if (words !== undefined) return "";
  if (/^https?:/i.test(typed)) return printableUrl(typed);
  if (values.config !== undefined) return `${typed} ${values.config}`.trim();
  return /\s/.test(typed) ? "" : typed;
}

/** @throws UsageError if there is no file, or none of this command */
function compared(file: string, old: string | undefined, now: Awaited<ReturnType<typeof contractOf>>, strict: boolean): Outcome {
  const contract = old === undefined ? undefined : contractIn(old);
  if (contract === undefined)
    throw new UsageError(`${file} ${old === undefined ? "is not there" : "has no contract of tenon types in it"}.`);
  const drift = driftBetween(contract, now);
  const hasDrifted = [drift.added, drift.removed, drift.changed].some((names) => names.length > 0) || (strict && drift.texts);
  return { json: { file, hasDrifted, ...drift }, text: () => describe(file, drift, hasDrifted, strict), foundFaults: hasDrifted };
}

function describe(file: string, { added, removed, changed, texts }: Drift, hasDrifted: boolean, strict: boolean): string {
  if (!hasDrifted) return `${file} fits the server.`;
  const lines = [...removed.map((name) => `- ${name}`), ...added.map((name) => `+ ${name}`), ...changed.map((name) => `~ ${name}`)];
  const about = texts && strict ? ["~ titles or descriptions"] : [];
  return [`${file} does not fit the server any more:`, ...lines.map(cleanLine), ...about, "Make it anew: tenon types <server> -o …"].join(
    "\n",
  );
}
