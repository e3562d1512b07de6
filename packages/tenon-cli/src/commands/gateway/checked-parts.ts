/** What `tenon gateway check` says of bundles, groups and callers: which tools each one sees. */
import type { Policy, PolicyFacts } from "tenon/gateway";
import { nameIn } from "tenon/internal";
import { bundlePath } from "./bundle-endpoints.ts";
import { isForGroup, isInBundle } from "./settings/bundles.ts";
import type { WholeSettings } from "./settings/whole-settings.ts";

interface CheckedPart {
  readonly name: string;
  /** The tools, as the gateway names them. */
  readonly tools: readonly string[];
  /** The path of a bundle. */
  readonly path?: string;
  readonly groups?: readonly string[];
}

export interface CheckedParts {
  readonly bundles: readonly CheckedPart[];
  readonly groups: readonly CheckedPart[];
  readonly callers: readonly string[];
}

interface Offer {
  readonly facts: readonly PolicyFacts[];
  readonly rules: Policy | undefined;
  readonly prefixIn: (server: string) => string;
}

export function checkedParts({ bundles = {}, groups = {}, http }: WholeSettings, { facts, rules, prefixIn }: Offer): CheckedParts {
  // The policy is asked about a whole server, too: such facts have no name.
  const offered = facts.filter((one) => one.kind === "tool" && one.name !== "" && (rules?.(one) ?? true));
  const toolsOf = (isIn: Policy): string[] =>
    [...new Set(offered.filter(isIn).map(({ server, name }) => nameIn(prefixIn(server), name)))].toSorted();
  return {
    bundles: Object.entries(bundles).map(([name, bundle]) => ({
      name,
      path: bundlePath(name),
      tools: toolsOf((one) => isInBundle(bundle, one, prefixIn)),
      ...(bundle.groups !== undefined && { groups: bundle.groups }),
    })),
    groups: Object.entries(groups).map(([name, group]) => ({ name, tools: toolsOf((one) => isForGroup(group, one, prefixIn)) })),
    callers: Object.keys(http?.auth?.tokens ?? {}),
  };
}

export function linesOf({ bundles, groups, callers }: CheckedParts): string[] {
  return [
    ...bundles.map(
      ({ name, path, tools, groups: own }) => `bundle ${name} at ${path}${own ? ` for ${own.join(", ")}` : ""}: ${listed(tools)}`,
    ),
    ...groups.map(({ name, tools }) => `group ${name}: ${listed(tools)}`),
    ...(callers.length > 0 ? [`callers with a token: ${callers.join(", ")}`] : []),
  ];
}

function listed(tools: readonly string[]): string {
  return tools.length === 0 ? "no tools" : tools.join(", ");
}
