/** `tenon/gateway`: many servers behind one endpoint, every revision on both sides. */
export { createGateway, type Gateway, type ServerChanges } from "./gateway.ts";
export type { GatewayLimits, GatewayOptions, Policy, PolicyFacts, Sharing } from "./options.ts";
export type { ToolSearchOptions } from "./search/search-options.ts";
