/** How many tokens a model reads for a server before the first call, and whether that is within the limits that were given. */
import { estimateTokens, estimateToolTokens } from "tenon/internal";
import type { Listing } from "../commands/collect.ts";
import { UsageError } from "../failure.ts";
import type { Finding } from "./rule.ts";

export interface Limits {
  readonly tool?: number;
  readonly list?: number;
  readonly instructions?: number;
}

const PARTS = ["tool", "list", "instructions"] as const;

export interface Budget {
  readonly list: number;
  readonly instructions: number;
  readonly tools: Readonly<Record<string, number>>;
}

/** The list counts as a model reads it: with the search of the server, if it lists one in the place of most tools. */
export function budgetOf({ tools, shown = tools, instructions = "" }: Listing): Budget {
  const counted = tools.map((tool) => [tool.name, estimateToolTokens(tool)] as const);
  const list = shown.reduce((sum, tool) => sum + estimateToolTokens(tool), 0);
  return { list, instructions: estimateTokens(instructions), tools: Object.fromEntries(counted) };
}

/** Parses `--budget 4000`, `--budget list=4000`, `--budget tool=500`. @throws UsageError */
export function limitsIn(typed: readonly string[] = []): Limits {
  return Object.fromEntries(
    typed.map((text) => {
      const [, part = "list", number] = /^(?:(tool|list|instructions)=)?(\d+)$/.exec(text) ?? [];
      if (number === undefined) throw new UsageError(`--budget ${text} must be a number, or ${PARTS.join("=, ")}= with one.`);
      return [part, Number(number)];
    }),
  );
}

export function overBudget({ list, instructions, tools }: Budget, limits: Limits): readonly Finding[] {
  return [
    ...over("tools/list", list, limits.list),
    ...over("instructions", instructions, limits.instructions),
    ...Object.entries(tools).flatMap(([tool, tokens]) => over(`tool ${tool}`, tokens, limits.tool).map((found) => ({ ...found, tool }))),
  ];
}

function over(where: string, tokens: number, limit: number | undefined): Finding[] {
  if (limit === undefined || tokens <= limit) return [];
  return [{ rule: "budget", level: "error", where, message: `${count(tokens)} of ${count(limit)} tokens` }];
}

/** A number with its thousands apart. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}
