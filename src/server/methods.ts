/** The method table of a server: what answers each method at once, and which capability must be there for it (A6.2). */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ServerCapabilities } from "../protocol/capabilities.ts";
import { METHODS } from "../protocol/methods.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { Features } from "./features.ts";
import { discover, initialize, setLevel } from "./lifecycle.ts";
import { callTool, listTools } from "./tools.ts";

export type Answer = (features: Features, context: RequestContext) => MaybePromise<JsonObject>;

/** The others are in the table of `on-demand.ts`, which is loaded with the first request for one of those. */
export const ANSWERS: ReadonlyMap<string, Answer> = new Map<string, Answer>([
  ["initialize", initialize],
  ["server/discover", discover],
  ["ping", () => ({})],
  ["tools/list", listTools],
  ["tools/call", callTool],
  ["logging/setLevel", setLevel],
]);

/** Where it stands in the capabilities. On every revision as on the newest: an older one may have no name for what a server lacks there too. */
const NEEDED: ReadonlyMap<string, readonly string[] | undefined> = new Map(
  METHODS.map(({ method, capability }) => [method, capability?.split(".")]),
);

/** Whether a server with these capabilities has the method. */
export function isServed(method: string, capabilities: ServerCapabilities): boolean {
  let have: unknown = capabilities;
  for (const name of NEEDED.get(method) ?? []) have = (have as JsonObject | undefined)?.[name]; // as far as they are declared
  return have !== undefined;
}
