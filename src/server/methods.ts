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

/** On every revision what the newest asks for: where an older one has no name for it, a server that lacks it lacks it there too. */
const NEEDED: ReadonlyMap<string, string | undefined> = new Map(METHODS.map(({ method, capability }) => [method, capability]));

/** Whether a server with these capabilities has the method. */
export function isServed(method: string, capabilities: ServerCapabilities): boolean {
  const path = NEEDED.get(method)?.split(".") ?? [];
  return path.reduce((have: object | undefined, name) => have && Reflect.get(have, name), capabilities) !== undefined;
}
