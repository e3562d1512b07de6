/** The options of `AppHost`, and what its callbacks receive. */
import type { OptionKeys } from "../../../base/known-options.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { CallOptions } from "../../../client/call/outgoing-request.ts";
import { assertAtLeast, assertDuration } from "../../../base/number-options.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { DisplayMode, HostContext } from "../../../protocol/apps.ts";
import type { PaginatedRequestParams } from "../../../protocol/base.ts";
import type { Implementation } from "../../../protocol/capabilities.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { ListResourcesResult, ReadResourceResult } from "../../../protocol/resources.ts";
import type { CallToolResult, ListToolsResult, Tool } from "../../../protocol/tools.ts";
import type { ViewCsp, ViewPermission } from "../../../session/tools/tool-ui.ts";
import { DEFAULT_HTML_BYTES } from "../ui.ts";
import type { AppView } from "./app-view.ts";

/** The client of one server: a `Client`, a `ClientSession`, or an object of the page that forwards to one elsewhere. */
export interface AppClient {
  /** One page of the server's tools. */
  listTools(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListToolsResult>;
  /** Calls a tool. */
  callTool(name: string, args?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  /** Reads a resource. */
  readResource(uri: string, options?: CallOptions): Promise<ReadResourceResult>;
  /** One page of the server's resources. */
  listResources(params?: PaginatedRequestParams, options?: CallOptions): Promise<ListResourcesResult>;
}

/** What needs the approval of the host program, or of its user. */
export type Approval =
  | {
      /** A view is about to be shown. */
      readonly kind: "view";
      /** The tool that it belongs to. */
      readonly tool: Tool;
      /** The URI of the view. */
      readonly uri: string;
      /** The origins that it may use, checked. Warn the user of them. */
      readonly csp: Required<ViewCsp>;
      /** What it asks of the browser, and the host's option `permissions` grants. */
      readonly permissions: readonly ViewPermission[];
    }
  | {
      /** A view calls a tool of its server. */
      readonly kind: "tool";
      /** The tool that it calls. */
      readonly tool: Tool;
      /** The arguments, as the view wrote them. */
      readonly arguments: JsonObject;
      /** The view that calls. */
      readonly view: AppView;
    }
  | {
      /** A view reads a resource of its server. */
      readonly kind: "resource";
      /** The resource that it reads. */
      readonly uri: string;
      /** The view that reads. */
      readonly view: AppView;
    };

/** What a view tells the model: replaces what it told before. */
export interface ModelContext {
  /** Text, images and the rest. */
  readonly content?: readonly ContentBlock[];
  /** Data for the model. */
  readonly structuredContent?: JsonObject;
}

/** Limits of each view. */
export interface AppLimits {
  /** The most bytes of the HTML of a view. Default 4 194 304. */
  readonly maxHtmlBytes: number;
  /** The most characters of one message of a view. Default 262 144. */
  readonly maxMessageSize: number;
  /** Messages of a view a second; more are dropped, and ten times as many close the view. Default 100. */
  readonly messagesPerSecond: number;
  /** Requests of a view that run at the same time; one more is refused. Default 64. */
  readonly maxInFlight: number;
  /** The greatest height of a view in CSS pixels, whatever it reports. Default 2 000. */
  readonly maxHeight: number;
  /** Milliseconds that the sandbox page may take to load. Default 10 000. */
  readonly sandboxTimeout: number;
  /** Milliseconds that a view may take to end before its frame is removed. Default 1 000. */
  readonly closeTimeout: number;
}

const DEFAULT_LIMITS: AppLimits = {
  maxHtmlBytes: DEFAULT_HTML_BYTES,
  maxMessageSize: 262_144,
  messagesPerSecond: 100,
  maxInFlight: 64,
  maxHeight: 2_000,
  sandboxTimeout: 10_000,
  closeTimeout: 1_000,
};

/** Options of {@link AppHost}. A view is offered only what has a callback here. A callback that returns false refuses. */
export interface AppHostOptions {
  /** The client of the server whose tools have views. */
  readonly client: AppClient;
  /** The URL of the sandbox page, which `createSandboxHandler()` serves. Security: its origin must differ from the origin of this page. */
  readonly sandbox: string | URL;
  /** The name and version of the host program, for views. */
  readonly info: Implementation;
  /**
   * Decides whether a view is shown, and what it may do with its server. Security: a view is a program of the server, and what it calls
   * is not what the model or the user asked for: ask the user, except for tools that change nothing.
   */
  readonly approve: (request: Approval) => MaybePromise<boolean>;
  /** What views know of the host: theme, styles, locale. Default: nothing but the size of the frame. */
  readonly context?: HostContext;
  /** What a view may ask of the browser. Default: nothing. */
  readonly permissions?: readonly ViewPermission[];
  /** Shows a message of a view as the user's. Default: views cannot send messages. */
  readonly onMessage?: (content: readonly ContentBlock[], view: AppView) => MaybePromise<boolean | void>;
  /** Opens an `https:` or `http:` URL; ask the user, who sees where it leads. Default: views cannot open links. */
  readonly onOpenLink?: (url: URL, view: AppView) => MaybePromise<boolean | void>;
  /** Keeps what a view tells the model, until its next call. Default: views cannot tell the model anything. */
  readonly onModelContext?: (context: ModelContext, view: AppView) => MaybePromise<boolean | void>;
  /** Shows a view in another mode, which it declared; resolves with the mode that it then has. Default: modes never change. */
  readonly onDisplayMode?: (mode: DisplayMode, view: AppView) => MaybePromise<DisplayMode>;
  /** Saves files of a view: embedded resources or links to resources; ask the user (draft). Default: views cannot save files. */
  readonly onDownload?: (contents: readonly JsonObject[], view: AppView) => MaybePromise<boolean | void>;
  /** Samples the model for a view: params and result are the ones of `sampling/createMessage` (draft). Default: views cannot sample. */
  readonly onSample?: (params: JsonObject, view: AppView) => MaybePromise<JsonObject>;
  /** Receives log messages of views. Default: they are ignored. */
  readonly onLog?: (message: { readonly level: unknown; readonly data: unknown }, view: AppView) => void;
  /** Decides whether a view that wants to be closed is closed (draft). Default: it is. */
  readonly onCloseRequest?: (view: AppView) => boolean;
  /** Receives every message between host and views unchanged, for a log. Default: not called. */
  readonly onTraffic?: (sender: "host" | "view", message: unknown) => void;
  /** Receives what was dropped or refused outside a request. Default: ignored. */
  readonly onError?: (error: Error) => void;
  /** Limits of each view. */
  readonly limits?: Partial<AppLimits>;
}

export const APP_HOST_OPTIONS: OptionKeys<AppHostOptions> = {
  client: 1,
  sandbox: 1,
  info: 1,
  approve: 1,
  context: 1,
  permissions: 1,
  onMessage: 1,
  onOpenLink: 1,
  onModelContext: 1,
  onDisplayMode: 1,
  onDownload: 1,
  onSample: 1,
  onLog: 1,
  onCloseRequest: 1,
  onTraffic: 1,
  onError: 1,
  limits: { maxHtmlBytes: 1, maxMessageSize: 1, messagesPerSecond: 1, maxInFlight: 1, maxHeight: 1, sandboxTimeout: 1, closeTimeout: 1 },
};

/** The limits given, with the defaults. @throws RangeError */
export function appLimits(given: Partial<AppLimits> = {}): AppLimits {
  const limits = { ...DEFAULT_LIMITS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (name.endsWith("Timeout")) assertDuration(`limits.${name}`, value);
    else assertAtLeast(`limits.${name}`, value, 1);
  }
  return limits;
}
