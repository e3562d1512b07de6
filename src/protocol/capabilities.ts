/**
 * What each side says it can do, and who it is. Presence is the signal: `{}` means yes, absent means no.
 *
 * On stateful revisions capabilities are exchanged once; on stateless ones the client's travel with every request.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icons } from "./base.ts";

/** Who a client or a server is. For display and logs only: no decision may rest on it. */
export type Implementation = Icons & {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
};

/** May say that its list has changed. */
export type PromptsCapability = { listChanged?: boolean };
export type ToolsCapability = { listChanged?: boolean };
export type RootsCapability = { listChanged?: boolean };
export type ResourcesCapability = { subscribe?: boolean; listChanged?: boolean };
export type LoggingCapability = JsonObject;
export type CompletionsCapability = JsonObject;

/** Accepts `includeContext` other than `"none"`. */
export type SamplingContextCapability = JsonObject;
/** Accepts `tools` and `toolChoice`. */
export type SamplingToolsCapability = JsonObject;
export type SamplingCapability = { context?: SamplingContextCapability; tools?: SamplingToolsCapability };

export type FormElicitationCapability = JsonObject;
export type UrlElicitationCapability = JsonObject;
/** `{}` means forms only. */
export type ElicitationCapability = { form?: FormElicitationCapability; url?: UrlElicitationCapability };

/** Which requests to the client may become tasks (2025-11-25). */
export type ClientTasksCapability = {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: { sampling?: { createMessage?: JsonObject }; elicitation?: { create?: JsonObject } };
};
/** Which requests to the server may become tasks (2025-11-25). */
export type ServerTasksCapability = {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: { tools?: { call?: JsonObject } };
};

/** Settings of the extensions a side supports, by extension id; `{}` is support without settings. */
export type ExtensionCapabilities = { [id: string]: JsonObject };

export type ClientCapabilities = {
  experimental?: { [name: string]: JsonObject };
  extensions?: ExtensionCapabilities;
  roots?: RootsCapability;
  sampling?: SamplingCapability;
  elicitation?: ElicitationCapability;
  /** 2025-11-25 only. */
  tasks?: ClientTasksCapability;
};

export type ServerCapabilities = {
  experimental?: { [name: string]: JsonObject };
  extensions?: ExtensionCapabilities;
  logging?: LoggingCapability;
  completions?: CompletionsCapability;
  prompts?: PromptsCapability;
  resources?: ResourcesCapability;
  tools?: ToolsCapability;
  /** 2025-11-25 only. */
  tasks?: ServerTasksCapability;
};
