/**
 * What each side says it can do, and who it is. Presence is the signal: `{}` means yes, absent means no.
 *
 * On stateful revisions capabilities are exchanged once; on stateless ones the client's travel with every request.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Icons } from "./base.ts";

/**
 * Who a client or a server is: `name` and `version` for logs, `title` and `description` for people (TY-23). Security: it is what
 * the peer says of itself, so no decision may rest on it (A3.9).
 */
export type Implementation = Icons & {
  name: string;
  version: string;
  title?: string;
  description?: string;
  /** Where people read more. Written by the peer: not to be opened unseen. */
  websiteUrl?: string;
};

/** The server has prompts, and tells of other ones where `listChanged` (TY-26). */
export type PromptsCapability = { listChanged?: boolean };
/** The server has tools, and tells of other ones where `listChanged` (TY-26). */
export type ToolsCapability = { listChanged?: boolean };
/** The client has roots, and tells of other ones where `listChanged` (TY-26; stateful revisions, L3.2). */
export type RootsCapability = { listChanged?: boolean };
/** The server has resources, tells of other ones where `listChanged`, and of changes in one to who asks where `subscribe` (TY-26). */
export type ResourcesCapability = { subscribe?: boolean; listChanged?: boolean };
/** The server sends log messages. No settings (TY-28). */
export type LoggingCapability = JsonObject;
/** The server completes arguments. No settings (TY-28). */
export type CompletionsCapability = JsonObject;

/** Accepts `includeContext` other than `"none"`. */
export type SamplingContextCapability = JsonObject;
/** Accepts `tools` and `toolChoice`. */
export type SamplingToolsCapability = JsonObject;
/** The client lets servers ask its model (TY-27): `context` and `tools` are what it takes beyond plain messages. */
export type SamplingCapability = { context?: SamplingContextCapability; tools?: SamplingToolsCapability };

/** Shows forms. No settings (TY-28). */
export type FormElicitationCapability = JsonObject;
/** Opens pages, once the user agrees. No settings (TY-28). */
export type UrlElicitationCapability = JsonObject;
/** The client lets servers ask its user, with a `form` or on a page (`url`); `{}` means forms only (TY-29). */
export type ElicitationCapability = { form?: FormElicitationCapability; url?: UrlElicitationCapability };

/** Which `requests` to the client may become tasks, and whether they can be listed (`list`) and ended (`cancel`) (N1, 2025-11-25). */
export type ClientTasksCapability = {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: { sampling?: { createMessage?: JsonObject }; elicitation?: { create?: JsonObject } };
};
/** Which `requests` to the server may become tasks, and whether they can be listed (`list`) and ended (`cancel`) (N1, 2025-11-25). */
export type ServerTasksCapability = {
  list?: JsonObject;
  cancel?: JsonObject;
  requests?: { tools?: { call?: JsonObject } };
};

/** Settings of the extensions a side supports, by extension id; `{}` is support without settings. */
export type ExtensionCapabilities = { [id: string]: JsonObject };

/** What a client can do (TY-24). Tenon's declares it from the callbacks it is given. */
export type ClientCapabilities = {
  /** Outside the protocol, by name. */
  experimental?: { [name: string]: JsonObject };
  /** Extensions it supports, with their settings, by id (A6.3). */
  extensions?: ExtensionCapabilities;
  /** Says where servers may work. On its way out of the protocol as of 2026-07-28. */
  roots?: RootsCapability;
  /** Lets servers ask its model. On its way out of the protocol as of 2026-07-28. */
  sampling?: SamplingCapability;
  /** Lets servers ask its user. */
  elicitation?: ElicitationCapability;
  /** Answers as tasks. 2025-11-25 only; later revisions have the tasks extension. */
  tasks?: ClientTasksCapability;
};

/** What a server offers (TY-25). Tenon's declares it from what is registered. */
export type ServerCapabilities = {
  /** Outside the protocol, by name. */
  experimental?: { [name: string]: JsonObject };
  /** Extensions it supports, with their settings, by id (A6.3). */
  extensions?: ExtensionCapabilities;
  /** Sends log messages. On its way out of the protocol as of 2026-07-28. */
  logging?: LoggingCapability;
  /** Completes arguments of prompts and variables of templates. Since 2025-03-26. */
  completions?: CompletionsCapability;
  /** Has prompts for people to choose from. */
  prompts?: PromptsCapability;
  /** Has resources to read. */
  resources?: ResourcesCapability;
  /** Has tools for the model to call. */
  tools?: ToolsCapability;
  /** Makes tasks of calls. 2025-11-25 only; later revisions have the tasks extension. */
  tasks?: ServerTasksCapability;
};
