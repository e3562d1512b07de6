/**
 * All revision-neutral MCP types in one module, for files that import many of them. The files beside this one hold them by area;
 * capabilities are in `capabilities.ts`.
 */
export type * from "./base.ts";
export type * from "./capabilities.ts";
export type * from "./content.ts";
export type * from "./elicitation.ts";
export type * from "./input-required.ts";
export type * from "./lifecycle.ts";
export type { LoggingLevel } from "./logging.ts";
export type * from "./messages.ts";
export type * from "./prompts.ts";
export type * from "./resources.ts";
export type * from "./sampling.ts";
export type * from "./tasks.ts";
export type * from "./tool-calls.ts";
export type * from "./tools.ts";
