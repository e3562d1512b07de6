/** What was typed on the command line of a gateway, together with what its configuration says. */
import type { Policy } from "../../../../gateway/options.ts";
import type { OptionValues } from "../../../invocation.ts";
import { beside } from "../loaded-config.ts";
import { fitsPattern } from "./rules.ts";
import type { GatewaySettings } from "./settings.ts";
import type { WholeSettings } from "./whole-settings.ts";

/**
 * The rules of both, all of which must agree.
 * @param values `--only` and `--deny`: names as `server__tool`, with `*` for any text
 * @returns undefined if everything is allowed
 */
export function rulesOf({ policy }: GatewaySettings, { only, deny = [] }: Pick<OptionValues, "only" | "deny">): Policy | undefined {
  if (only === undefined && deny.length === 0) return policy;
  return (facts) => {
    const name = `${facts.server}__${facts.name}`;
    const isNamed = (patterns: readonly string[]): boolean => patterns.some((pattern) => fitsPattern(pattern, name));
    return !isNamed(deny) && (only === undefined || isNamed(only)) && (policy?.(facts) ?? true);
  };
}

/** The audit log; without a path there is none. What was typed replaces what the configuration says, here and for pins. */
export function auditIn(config: string, { audit: typed }: OptionValues, { audit }: WholeSettings): { path?: string; contents?: boolean } {
  const { file, ...rest } = typeof audit === "string" ? { file: audit } : (audit ?? {});
  if (typed !== undefined) return { ...rest, path: typed };
  return file === undefined ? {} : { ...rest, path: beside(config, file) };
}

/** The file of pinned tools; without a path there is none. */
export function pinsIn(
  config: string,
  { pins: typed }: OptionValues,
  { pins }: WholeSettings,
): { path?: string; unknown?: "pin" | "withhold" } {
  const { file, ...rest } = typeof pins === "string" ? { file: pins } : (pins ?? {});
  if (typed !== undefined) return { ...rest, path: typed };
  return file === undefined ? {} : { ...rest, path: beside(config, file) };
}
