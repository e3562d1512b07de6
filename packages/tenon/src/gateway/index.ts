/** `tenon/gateway`: many servers behind one endpoint, every revision on both sides. */
export { createGateway, type Gateway } from "./gateway.ts";
export type { ListMemory } from "./catalog/list-memory.ts";
export type { ServerChanges } from "./server-changes.ts";
export type { DeviationWriter, GatewayLimits, GatewayOptions, Policy, PolicyFacts, Sharing } from "./options.ts";
export type { Deviation, DeviationKind } from "../wire/deviations.ts";
export type { ToolSearchOptions } from "../search/search-options.ts";
export type { AuditOptions, AuditOutcome, AuditRecord } from "../middleware/audit/audit-log.ts";
export type { Redact } from "../middleware/audit/redaction.ts";
export type { PinnedForCallers, PinnedTools } from "./catalog/pin-table.ts";
export type { PinOptions, SeenTool } from "./catalog/pins.ts";
export type { PinnedKind } from "../upstream/pins.ts";
export { perCaller, type CallerAuth, type CredentialsOwner } from "./credentials/caller-auth.ts";
export { callerTokenExchange, type CallerTokenExchangeOptions } from "./credentials/caller-token-exchange.ts";
export type { CallerHttpEntry, CallerTargetEntry, GatewayEntries, GatewayEntry } from "./credentials/entry.ts";
export type { UpstreamStatus } from "./servers/upstream.ts";
export type { Quota } from "./quotas.ts";
export { userLogin, type GatewayUserLoginOptions } from "./login/user-login.ts";
export type { BrowserIdentityOptions, LoginPagesOptions } from "./login/login-options.ts";
