/**
 * Warns the operator of features that the protocol deprecates, once each, when a request uses a revision that deprecates them. They
 * work as before.
 *
 * The replacement is documented at each feature. The warning is a `DeprecationWarning` of the process, so the runtime's own
 * switches silence it (`--no-deprecation`) or show who uses the feature (`--trace-deprecation`). Runtimes without such warnings get
 * none.
 */
import type { Codec } from "../wire/codec.ts";

type DeprecatedFeature = "logging" | "roots" | "sampling";

/** The features that were reported. */
const warned = new Set<DeprecatedFeature>();

/** @param codec the codec of the request that uses the feature */
export function warnIfDeprecated(feature: DeprecatedFeature, { stateless, version }: Codec): void {
  if (!stateless || warned.has(feature)) return;
  warned.add(feature);
  const { process } = globalThis as { process?: { emitWarning?(warning: string, type: string, code: string): void } };
  process?.emitWarning?.(`MCP ${feature} is deprecated as of revision ${version}`, "DeprecationWarning", `TENON_${feature.toUpperCase()}`);
}
