/** Reads the options that name hosts and a scope, and this machine. */
import { UsageError } from "../failure.ts";
import type { OptionValues } from "../invocation.ts";
import type { Shell } from "../shell.ts";
import { didYouMean } from "../typing-mistakes.ts";
import type { Host, Machine, Scope } from "./host.ts";
import { HOSTS } from "./known-hosts.ts";

export function machineOf({ home, env }: Shell): Machine {
  return { platform: process.platform, home, env };
}

/** The hosts that were typed, each once. @throws UsageError */
export function hostsOf({ host = [] }: OptionValues): readonly Host[] {
  const ids = [...new Set(host.flatMap((typed) => typed.split(",")))];
  return ids.map((id) => {
    const found = HOSTS.get(id);
    if (found !== undefined) return found;
    throw new UsageError(`Unknown host ${JSON.stringify(id)}.${didYouMean(id, HOSTS.keys())} Known are ${[...HOSTS.keys()].join(", ")}.`);
  });
}

export function scopeOf({ scope = "user" }: OptionValues): Scope {
  if (scope === "user" || scope === "project") return scope;
  throw new UsageError(`--scope must be user or project, not ${JSON.stringify(scope)}.`);
}
