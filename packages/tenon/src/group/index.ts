/** `tenon/group`: a client of many servers. Runs wherever `tenon/client` does; parts that need Node are loaded when used. */
export { ClientSessionGroup } from "./client-session-group.ts";
export type { ResourceCallOptions } from "./catalog/group-calls.ts";
export type { GroupChange } from "./group-events.ts";
export type { ListDifference } from "./catalog/catalog.ts";
export type { ComponentKind, ComponentList } from "./catalog/components.ts";
export { DefinitionChangedError, ServerUnavailableError } from "./errors.ts";
export type { GroupLimits, GroupOptions, GroupTimes } from "./options.ts";
export type { NameHook } from "./catalog/naming.ts";
export type { GroupCallbacks, GroupRequestContext, ServerOptions } from "../upstream/options.ts";
export type { Deviation, DeviationKind } from "../wire/deviations.ts";
export type { HeldDefinition, ToolPins } from "./catalog/pins.ts";
export type { PinnedKind } from "../upstream/pins.ts";
export type { GroupSession } from "../upstream/session.ts";
export type { ServerEntries, ServerEntry, TargetSource } from "../upstream/entry.ts";
export type { ServerState, ServerStatus } from "./servers/server-state.ts";
