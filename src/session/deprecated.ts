/**
 * Features that the protocol gives up (requirements S2): told to whoever runs the process, once each, when a revision is
 * spoken that has deprecated them. They work as before.
 *
 * What to do instead stands where the feature does. It is a `DeprecationWarning` of the process, so the platform's own
 * switches silence it (`--no-deprecation`) or find who uses the feature (`--trace-deprecation`). Where there is no process
 * to warn, nobody is.
 */
import type { Codec } from "../wire/codec.ts";

type DeprecatedFeature = "logging" | "roots" | "sampling";

/** The features that were warned of. */
const warned = new Set<DeprecatedFeature>();

/** @param codec that of the request the feature is used in */
export function warnIfDeprecated(feature: DeprecatedFeature, { stateless, version }: Codec): void {
  if (!stateless || warned.has(feature)) return;
  warned.add(feature);
  const { process } = globalThis as { process?: { emitWarning?(warning: string, type: string, code: string): void } };
  process?.emitWarning?.(`MCP ${feature} is deprecated as of revision ${version}`, "DeprecationWarning", `TENON_${feature.toUpperCase()}`);
}
