/** The rules of a gateway: those of its configuration, and those of the command line. All of them must agree. */
import type { Policy } from "../../../../gateway/options.ts";
import type { OptionValues } from "../../../invocation.ts";
import { fitsPattern } from "./rules.ts";
import type { GatewaySettings } from "./settings.ts";

/** @param values `--only` and `--deny`: names as `server__tool`, with `*` for any text @returns undefined if everything is allowed */
export function rulesOf({ policy }: GatewaySettings, { only, deny = [] }: Pick<OptionValues, "only" | "deny">): Policy | undefined {
  if (only === undefined && deny.length === 0) return policy;
  return (facts) => {
    const name = `${facts.server}__${facts.name}`;
    const isNamed = (patterns: readonly string[]): boolean => patterns.some((pattern) => fitsPattern(pattern, name));
    return !isNamed(deny) && (only === undefined || isNamed(only)) && (policy?.(facts) ?? true);
  };
}
