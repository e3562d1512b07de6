/** What was typed on the command line of a gateway, together with what its configuration says. */
import type { AuditOptions, Policy } from "tenon/gateway";
import { prefixOf } from "tenon/internal";
import { dirname, resolve } from "node:path";
import type { Invocation, OptionValues } from "../../../invocation.ts";
import { isTyped, pathOf } from "./rules.ts";
import type { GatewaySettings } from "./settings.ts";
import { redactIn, type WholeSettings } from "./whole-settings.ts";

/**
 * The rules of both, all of which must agree.
 * @param values `--only` and `--deny`: names as `server__tool` or as callers see them, with `*` for any text
 * @returns undefined if everything is allowed
 */
export function rulesOf(
  { policy, prefixIn = prefixOf }: Pick<GatewaySettings, "policy"> & Partial<Pick<GatewaySettings, "prefixIn">>,
  { only, deny = [] }: Pick<OptionValues, "only" | "deny">,
): Policy | undefined {
  if (only === undefined && deny.length === 0) return policy;
  return (facts) =>
    !isTyped(deny, facts, { prefixIn, alsoOf: pathOf }) &&
    (only === undefined || isTyped(only, facts, { prefixIn })) &&
    (policy?.(facts) ?? true);
}

type Typed = Pick<Invocation, "shell" | "values">;

interface AuditFile extends Omit<AuditOptions, "write"> {
  readonly path?: string;
}

/** The audit log; without a path there is none. What was typed replaces what the configuration says, here and for pins. */
export function auditIn(config: string, { shell, values: { audit: typed } }: Typed, { audit }: WholeSettings): AuditFile {
  const { file, redact, ...others } = typeof audit === "string" ? { file: audit } : (audit ?? {});
  const rest = { ...others, ...(redact && { redact: redactIn(redact) }) };
  if (typed !== undefined) return { ...rest, path: resolve(shell.cwd, typed) };
  return file === undefined ? {} : { ...rest, path: beside(config, file, shell) };
}

/** The file of pinned tools; without a path there is none. */
export function pinsIn(
  config: string,
  { shell, values: { pins: typed } }: Typed,
  { pins }: WholeSettings,
): { path?: string; unknown?: "pin" | "withhold" } {
  const { file, ...rest } = typeof pins === "string" ? { file: pins } : (pins ?? {});
  if (typed !== undefined) return { ...rest, path: resolve(shell.cwd, typed) };
  return file === undefined ? {} : { ...rest, path: beside(config, file, shell) };
}

/** A file that a configuration names: a relative path begins at the folder of the configuration. */
function beside(config: string, path: string, { cwd }: Invocation["shell"]): string {
  return resolve(cwd, dirname(config), path);
}
