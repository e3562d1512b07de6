/**
 * Warns the operator of features that the protocol deprecates, once each, when a request uses a revision that deprecates them. They
 * work as before.
 *
 * The warning says what to use in its place. It is a `DeprecationWarning` of the process, so the runtime's own
 * switches silence it (`--no-deprecation`) or show who uses the feature (`--trace-deprecation`). Runtimes without such warnings get
 * none.
 */
import type { Codec } from "../wire/codec.ts";

type DeprecatedFeature = "logging" | "roots" | "sampling";

/** What to use in their places, as the revision that deprecates them says. */
const INSTEAD: Readonly<Record<DeprecatedFeature, string>> = {
  logging: "write to stderr, or use otel() of tenon/otel",
  roots: "take folders as arguments, or from your settings",
  sampling: "call a model from the server",
};

const warned = new Set<DeprecatedFeature>();

/** @param codec the codec of the request that uses the feature */
export function warnIfDeprecated(feature: DeprecatedFeature, { stateless, version }: Codec): void {
  if (!stateless || warned.has(feature)) return;
  warned.add(feature);
  const { process } = globalThis as { process?: { emitWarning?(warning: string, type: string, code: string): void } };
  const message = `MCP ${feature} is deprecated as of revision ${version}: ${INSTEAD[feature]}`;
  process?.emitWarning?.(message, "DeprecationWarning", `TENON_${feature.toUpperCase()}`);
}
