/** The files of a gateway: the audit log and the pins. What was typed replaces what the configuration says. */
import type { OptionValues } from "../../../invocation.ts";
import { beside } from "../loaded-config.ts";
import type { WholeSettings } from "./whole-settings.ts";

/** The audit log; without a path there is none. */
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
