/**
 * What a client or a server declares: its capabilities and its identity. Presence is the signal: `{}` means supported, absent means
 * not.
 *
 * On stateful revisions capabilities are exchanged once; on stateless ones the client sends its own with every request.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icons } from "./base.ts";

/**
 * Who a client or a server is (MCP schema): `name` and `version` for logs, `title` and `description` for people. Security: the peer
 * states it about itself, so base no decision on it.
 */
export type Implementation = Icons & {
  name: string;
  version: string;
  title?: string;
  description?: string;
  /** A page with more information. Security: the peer wrote it; do not open it without the user's consent. */
  websiteUrl?: string;
};

/** The server has prompts, and announces changes of the list if `listChanged` (MCP schema). */
export type PromptsCapability = { listChanged?: boolean };
/** The server has tools, and announces changes of the list if `listChanged` (MCP schema). */
export type ToolsCapability = { listChanged?: boolean };
/** The client has roots, and announces changes of the list if `listChanged` (MCP schema, stateful revisions). */
export type RootsCapability = { listChanged?: boolean };
/**
 * The server has resources (MCP schema). It announces changes of the list if `listChanged`, and changes of one resource to
 * subscribers if `subscribe`.
 */
export type ResourcesCapability = { subscribe?: boolean; listChanged?: boolean };
/** The server sends log messages. No settings. */
export type LoggingCapability = JsonObject;
/** The server completes arguments. No settings. */
export type CompletionsCapability = JsonObject;

/** Accepts `includeContext` other than `"none"`. */
export type SamplingContextCapability = JsonObject;
/** Accepts `tools` and `toolChoice`. */
export type SamplingToolsCapability = JsonObject;
/** Servers may use the client's model (MCP schema): `context` and `tools` say what it accepts beyond plain messages. */
export type SamplingCapability = { context?: SamplingContextCapability; tools?: SamplingToolsCapability };

/** Shows forms. No settings. */
export type FormElicitationCapability = JsonObject;
/** Opens pages if the user agrees. No settings. */
export type UrlElicitationCapability = JsonObject;
/** Servers may ask the client's user (MCP schema), with a `form` or on a page (`url`); `{}` means forms only. */
export type ElicitationCapability = { form?: FormElicitationCapability; url?: UrlElicitationCapability };

/**
 * Which `requests` to the client may become tasks, and whether tasks can be listed (`list`) and cancelled (`cancel`) (MCP schema
 * 2025-11-25).
 */
export type ClientTasksCapability = {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: { sampling?: { createMessage?: JsonObject }; elicitation?: { create?: JsonObject } };
};
/**
 * Which `requests` to the server may become tasks, and whether tasks can be listed (`list`) and cancelled (`cancel`) (MCP schema
 * 2025-11-25).
 */
export type ServerTasksCapability = {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: { tools?: { call?: JsonObject } };
};

/** Settings of the supported extensions, by extension id; `{}` means support without settings. */
export type ExtensionCapabilities = { [id: string]: JsonObject };

/** What a client supports (MCP schema). Tenon's client declares it from the callbacks that it has. */
export type ClientCapabilities = {
  /** Capabilities outside the protocol, by name. */
  experimental?: { [name: string]: JsonObject };
  /** The supported extensions with their settings, by id. */
  extensions?: ExtensionCapabilities;
  /** Says where servers may work. Deprecated in the protocol as of 2026-07-28. */
  roots?: RootsCapability;
  /** Lets servers use the client's model. Deprecated in the protocol as of 2026-07-28. */
  sampling?: SamplingCapability;
  /** Lets servers ask the user. */
  elicitation?: ElicitationCapability;
  /** Runs requests as tasks. 2025-11-25 only; later revisions have the tasks extension. */
  tasks?: ClientTasksCapability;
};

/** What a server offers (MCP schema). Tenon's server declares it from what is registered. */
export type ServerCapabilities = {
  /** Capabilities outside the protocol, by name. */
  experimental?: { [name: string]: JsonObject };
  /** The supported extensions with their settings, by id. */
  extensions?: ExtensionCapabilities;
  /** Sends log messages. Deprecated in the protocol as of 2026-07-28. */
  logging?: LoggingCapability;
  /** Completes arguments of prompts and variables of templates. Since 2025-03-26. */
  completions?: CompletionsCapability;
  /** Has prompts for people to choose from. */
  prompts?: PromptsCapability;
  /** Has resources to read. */
  resources?: ResourcesCapability;
  /** Has tools for the model to call. */
  tools?: ToolsCapability;
  /** Runs calls as tasks. 2025-11-25 only; later revisions have the tasks extension. */
  tasks?: ServerTasksCapability;
};
