/** The work of `tenon check`: connects once, runs the rules, counts tokens, compares with `mcp.lock`, and reports. */
import { readFile, writeFile } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { cleanLine, type Paint } from "tenon/internal";
import type { Client } from "tenon/client";
import { collectAll, isShortList, type Listing } from "../commands/collect.ts";
import { withServer } from "../connection/connection.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, OptionValues, Outcome } from "../invocation.ts";
import { didYouMean } from "../typing-mistakes.ts";
import { budgetOf, count, limitsIn, overBudget, type Budget, type Limits } from "./budget.ts";
import { lint } from "./lint.ts";
import { compareWith, readLock, writeLock, type LockReport } from "./lock.ts";
import { PROFILES } from "./profiles.ts";
import type { Finding } from "./rule.ts";
import { RULE_TEXTS, RULES } from "./rules.ts";
import { toSarif } from "./sarif.ts";
import { Places, readSource, rootOf } from "./source-places.ts";

const lockOf = ({ lock = "mcp.lock" }: OptionValues): string => lock;

export async function runCheck(invocation: Invocation): Promise<Outcome> {
  const { values, shell, positionals } = invocation;
  if (values.explain === true) return explained(positionals);
  const [profiles, off] = [
    known("profile", values.profile, [...PROFILES.keys()]),
    known(
      "off",
      values.off,
      RULES.map(({ id }) => id),
    ),
  ];
  if (values.locked === true && values.update === true)
    throw new UsageError("--locked compares with the lock file, and --update writes it: give one.");
  const typed = limitsIn(values.budget);
  const lockFile = lockOf(values);
  const path = resolve(shell.cwd, lockFile);
  const lock = values.update === true ? await readLock(path).catch(() => undefined) : await readLock(path);
  const listing = await withServer(invocation, [], (client) => listingOf(client, invocation));
  const limits: Limits = { ...lock?.budget, ...typed };
  const budget = budgetOf(listing);
  const report = lock === undefined ? undefined : compareWith(lock, listing);
  const rules = lint(listing, { ...(profiles.length > 0 && { profiles }), off });
  const fixed = values.fix === true ? await fix(rules, invocation) : [];
  if (values.update === true) await writeLock(path, listing, limits);
  const left = rules.filter((finding) => !fixed.includes(finding));
  const findings = [
    ...left,
    ...overBudget(budget, limits),
    ...(values.update === true ? [] : broken(report, lockFile)),
    ...unlocked(values, report),
  ];
  if (values.sarif !== undefined) await writeSarif(resolve(shell.cwd, values.sarif), findings, invocation);
  return outcomeOf({
    listing,
    findings,
    fixed,
    budget,
    limits,
    report,
    lockFile,
    isUpdated: values.update === true,
    isStrict: values.strict === true,
  });
}

/** All lists. One that fails is noted, unless it is the list of tools: a database that is away must not hide what is wrong with them. */
async function listingOf(client: Client, { signal, terminal }: Invocation): Promise<Listing> {
  const { listing, unread } = await collectAll(client, signal);
  for (const { method, error } of unread) {
    if (method === "tools/list") throw new Error(`${method}: ${error.message}`, { cause: error });
    terminal.note(`${terminal.paintNote("yellow", "Not read:")} ${method}: ${cleanLine(error.message)}`);
  }
  return listing;
}

/** @throws UsageError if a typed name is unknown */
function known(option: string, typed: readonly string[] = [], names: readonly string[]): readonly string[] {
  const wrong = typed.find((name) => !names.includes(name));
  if (wrong === undefined) return typed;
  throw new UsageError(`--${option} ${wrong} is unknown.${didYouMean(wrong, names)} There are: ${names.join(", ")}.`);
}

/** What breaks callers, unless the version says so already. */
function broken(report: LockReport | undefined, lockFile: string): Finding[] {
  if (report === undefined || report.isAnnounced) return [];
  return report.changes
    .filter(({ meaning }) => meaning === "breaking")
    .map(({ text, tool }) => ({
      rule: "contract",
      level: "error",
      where: lockFile,
      message: `breaking: ${text}`,
      ...(tool !== undefined && { tool }),
    }));
}

/** Under --locked, that nothing says what callers depend on. */
function unlocked(values: OptionValues, report: LockReport | undefined): Finding[] {
  if (values.locked !== true || report !== undefined) return [];
  return [{ rule: "contract", level: "error", where: lockOf(values), message: "there is no such file, and --locked compares with it" }];
}

/** The file of the server, for reports; undefined if it is not a file. */
function fileOf({ positionals: [typed], shell }: Invocation): string | undefined {
  const isFile = typed !== undefined && /\.[cm]?[jt]sx?$/.test(typed) && !/\s/.test(typed);
  return isFile ? relative(shell.cwd, resolve(shell.cwd, typed)).split(sep).join("/") : undefined;
}

async function writeSarif(path: string, findings: readonly Finding[], invocation: Invocation): Promise<void> {
  const { cwd } = invocation.shell;
  const file = fileOf(invocation);
  const source = file === undefined ? undefined : await readSource(resolve(cwd, file));
  const places = new Places(source, { root: await rootOf(cwd), lock: resolve(cwd, lockOf(invocation.values)) });
  await writeFile(path, `${JSON.stringify(toSarif(findings, places), undefined, 2)}\n`);
}

/** Changes the texts that have a fix and stand once in the server's file. Returns what it has mended. */
async function fix(findings: readonly Finding[], invocation: Invocation): Promise<readonly Finding[]> {
  const file = fileOf(invocation);
  if (file === undefined) throw new UsageError("--fix changes a file: name the file of the server, and not a URL or a command.");
  const path = resolve(invocation.shell.cwd, file);
  let text = await readFile(path, "utf8");
  const fixed = findings.filter(({ fix: change }) => {
    if (change === undefined) return false;
    const parts = ['"', "'", "`"].map((quote) => [`${quote}${change.from}${quote}`, `${quote}${change.to}${quote}`] as const);
    const found = parts.filter(([from]) => text.includes(from));
    const [only] = found;
    if (only === undefined || found.length > 1 || text.split(only[0]).length !== 2) return false;
    text = text.replace(only[0], () => only[1]);
    return true;
  });
  if (fixed.length > 0) await writeFile(path, text);
  return fixed;
}

// ---- reports ----

interface Checked {
  readonly listing: Listing;
  readonly findings: readonly Finding[];
  readonly fixed: readonly Finding[];
  readonly budget: Budget;
  readonly limits: Limits;
  readonly report: LockReport | undefined;
  readonly lockFile: string;
  readonly isUpdated: boolean;
  readonly isStrict: boolean;
}

function outcomeOf(checked: Checked): Outcome {
  const { listing, findings, fixed, budget, limits, report, isUpdated, isStrict } = checked;
  const foundFaults = findings.some(({ level }) => isStrict || level === "error");
  return {
    json: {
      ok: !foundFaults,
      server: listing.serverInfo,
      findings,
      fixed,
      tokens: { ...budget, limits },
      contract: report === undefined ? undefined : { verdict: report.verdict, next: report.next, changes: report.changes },
      updated: isUpdated,
    },
    foundFaults,
    text: (paint) =>
      [
        ...findingLines(findings, paint),
        ...fixed.map((each) => `fixed     ${cleanLine(each.where)}: ${cleanLine(each.message)}`),
        ...closing(checked, paint),
      ].join("\n"),
  };
}

function findingLines(findings: readonly Finding[], paint: Paint): string[] {
  return findings
    .filter(({ rule }) => rule !== "contract")
    .map(({ rule, level, where, message }) => {
      const head = (rule === "budget" ? "budget" : level).padEnd(9);
      return `${paint(level === "error" ? "red" : "yellow", head)} ${cleanLine(where)}: ${cleanLine(message)}${rule === "budget" ? "" : paint("dim", `  (${rule})`)}`;
    });
}

function closing(checked: Checked, paint: Paint): string[] {
  const { listing, budget, limits, report, findings } = checked;
  const lines = (report?.changes ?? []).map(
    ({ meaning, text }) => `${paint(meaning === "breaking" ? "red" : "cyan", meaning.padEnd(9))} ${cleanLine(text)}`,
  );
  const of = limits.list === undefined ? "" : ` of ${count(limits.list)}`;
  const [largest] = Object.entries(budget.tools).sort(([, a], [, b]) => b - a);
  const { tools, shown } = listing;
  const listed = shown === undefined || isShortList(tools) ? "" : `, of which ${shown.length} are listed`;
  const tokens = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}${listed}, about ${count(budget.list)}${of} tokens${largest === undefined ? "" : `; the largest is ${cleanLine(largest[0])}, ${count(largest[1])}`}`;
  const rules = findings.some(({ rule }) => !["budget", "contract"].includes(rule))
    ? ["Why, and what to do: tenon check --explain <rule>"]
    : [];
  return [...lines, tokens, ...unlisted(listing), contractLine(checked), ...rules];
}

/** What a server that is not Tenon's keeps out of its list. */
function unlisted({ tools }: Listing): string[] {
  return isShortList(tools) ? ["Only what it lists was checked: search_tools may find other tools."] : [];
}

function contractLine({ report, lockFile, isUpdated, findings }: Checked): string {
  if (isUpdated) return `${lockFile} is written: commit it, and the next check compares with it.`;
  if (report === undefined) {
    const refused = findings.find(({ rule }) => rule === "contract");
    return refused === undefined
      ? `There is no ${lockFile} yet: --update writes what callers depend on.`
      : `${refused.where}: ${refused.message}. Write it with --update, and commit it.`;
  }
  if (report.verdict === "none") return `Nothing differs from ${lockFile}.`;
  const next = report.next === undefined ? "" : report.isAnnounced ? ", as the version says" : `, next: ${report.next}`;
  return `For callers this is ${report.verdict === "fix" ? "a fix" : report.verdict === "feature" ? "a feature" : "breaking"}${next}. Accept it with --update.`;
}

/** @throws UsageError if the rule is unknown */
function explained([id]: readonly string[]): Outcome {
  const [only] = known(
    "explain",
    id === undefined ? [] : [id],
    RULE_TEXTS.map((rule) => rule.id),
  );
  const rules = RULE_TEXTS.filter((rule) => only === undefined || rule.id === only);
  return {
    json: rules.map(({ id: name, level, about, explain }) => ({ id: name, level, about, explain })),
    text: (paint) =>
      rules.map(({ id: name, level, about, explain }) => `${paint("bold", name)} (${level}): ${about}\n  ${explain}`).join("\n"),
  };
}
