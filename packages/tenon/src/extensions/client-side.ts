/** An extension on a client: combines its definition and its client half. */
import type { ClientExtensions, ClientHost } from "../session/extension.ts";
import type { ExtensionDefinition } from "./extension-definition.ts";

/** @param others earlier extensions; their middleware is outside of this one's */
export function attachExtension(definition: ExtensionDefinition, host: ClientHost, others: ClientExtensions | undefined): ClientExtensions {
  const half = definition.client?.(host) ?? {};
  const heard = new Set(definition.notifications);
  host.subscribe((method, params) => {
    if (heard.has(method)) half.onNotification?.(method, params);
  });
  const types = resultTypesOf(definition);
  return {
    middleware(next) {
      const own = half.middleware?.(next) ?? next;
      return others?.middleware(own) ?? own;
    },
    resultTypes(method) {
      const [before, added] = [others?.resultTypes(method), types.get(method)];
      return before && added ? new Set([...before, ...added]) : (before ?? added);
    },
    handlesRequest: (method) => definition.answers?.includes(method) === true || others?.handlesRequest(method) === true,
    wrapInbound(next) {
      const own = half.answering?.(next) ?? next;
      return others?.wrapInbound(own) ?? own;
    },
    task: (taskId) => half.task?.(taskId) ?? others?.task(taskId),
  };
}

function resultTypesOf({ resultTypes = {} }: ExtensionDefinition): ReadonlyMap<string, ReadonlySet<string>> {
  const types = new Map<string, Set<string>>();
  for (const [type, methods] of Object.entries(resultTypes)) {
    for (const method of methods) types.set(method, (types.get(method) ?? new Set()).add(type));
  }
  return types;
}
