/** Runs the rules over what a server offers: the engine behind `tenon check`, the notes of `tenon dev` and `tenon publish --check`. */
import { PROFILES } from "./profiles.ts";
import type { Checked, Finding } from "./rule.ts";
import { RULES } from "./rules.ts";

export interface LintOptions {
  /** Names of profiles. Default: `common`. */
  readonly profiles?: readonly string[];
  /** Rules that are left out. */
  readonly off?: readonly string[];
}

/** What the rules find, each once, errors first. */
export function lint(listing: Checked, { profiles = ["common"], off = [] }: LintOptions = {}): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const id of profiles) {
    const profile = PROFILES.get(id)!; // the command has checked the names
    for (const rule of RULES) {
      if (off.includes(rule.id)) continue;
      for (const each of rule.find(listing, profile)) {
        const message = id === "common" ? each.message : `${each.message} (${id})`;
        found.set(`${rule.id} ${each.where} ${each.message}`, { rule: rule.id, level: rule.level, ...each, message });
      }
    }
  }
  const all = [...found.values()];
  return [...all.filter(({ level }) => level === "error"), ...all.filter(({ level }) => level === "warning")];
}

/** Findings as lines for reports of other commands. */
export function lintLines(listing: Checked): readonly string[] {
  return lint(listing).map(({ rule, where, message }) => `${where}: ${message} (${rule})`);
}
