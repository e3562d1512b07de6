/**
 * What a view may ask of its host, by method: checks the params, asks for approval, and passes the request on. MCP Apps 2026-01-26,
 * Requests of views.
 *
 * A method without a callback in the host's options does not exist for the view. A refusal is an error with the code -32000.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { InboundRequest } from "../../../dispatch/dispatcher.ts";
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import type { DisplayMode, HostCapabilities } from "../../../protocol/apps.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { AppView } from "./app-view.ts";
import type { AppHostOptions } from "./options.ts";
import type { ServerTools } from "./server-tools.ts";

/** -32000, with which hosts refuse (MCP Apps 2026-01-26). */
const REFUSED: number = ErrorCode.ConnectionClosed;
const MODES: readonly unknown[] = ["inline", "fullscreen", "pip"];
/** Kinds of content in messages and context, as capabilities. */
const CONTENT = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} };

export interface Asked {
  readonly view: AppView;
  readonly options: AppHostOptions;
  readonly tools: ServerTools;
  readonly params: JsonObject;
  readonly request: InboundRequest;
}

type RequestHandler = (asked: Asked) => MaybePromise<JsonObject>;

/** The handler of a method for a host with these options; undefined if the host does not have it. */
export function handlerOf(method: string, options: AppHostOptions): RequestHandler | undefined {
  const entry = Object.hasOwn(HANDLERS, method) ? HANDLERS[method]! : undefined;
  return entry === undefined || (entry.needs !== undefined && options[entry.needs] === undefined) ? undefined : entry.handle;
}

export function hostCapabilitiesOf(options: AppHostOptions, sandbox: NonNullable<HostCapabilities["sandbox"]>): HostCapabilities {
  return {
    serverTools: {},
    serverResources: {},
    sandbox,
    ...(options.onOpenLink && { openLinks: {} }),
    ...(options.onDownload && { downloadFile: {} }),
    ...(options.onLog && { logging: {} }),
    ...(options.onMessage && { message: CONTENT }),
    ...(options.onModelContext && { updateModelContext: { ...CONTENT, structuredContent: {} } }),
    ...(options.onSample && { sampling: {} }),
  };
}

interface ViewMethod {
  /** The callback that the host must have. */
  readonly needs?: keyof AppHostOptions;
  readonly handle: RequestHandler;
}

const HANDLERS: Readonly<Record<string, ViewMethod>> = {
  ping: { handle: () => ({}) },
  "tools/call": { handle: callTool },
  "resources/read": { handle: readResource },
  "resources/list": { handle: listResources },
  "ui/open-link": { needs: "onOpenLink", handle: openLink },
  "ui/message": { needs: "onMessage", handle: takeMessage },
  "ui/update-model-context": { needs: "onModelContext", handle: takeModelContext },
  "ui/request-display-mode": { handle: changeMode },
  "ui/download-file": { needs: "onDownload", handle: download },
  "sampling/createMessage": { needs: "onSample", handle: ({ options, params, view }) => options.onSample!(params, view) },
};

async function callTool({ view, options, tools, params, request }: Asked): Promise<JsonObject> {
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string" || !isJsonObject(args)) throw invalid("name must be a string, and arguments an object");
  const tool = await tools.forView(name);
  if (tool === undefined) throw new McpError(REFUSED, "This view may not call that tool");
  await assertApproved(options.approve({ kind: "tool", tool, arguments: args, view }));
  const result = await options.client.callTool(name, args, { signal: request.signal });
  return { ...result };
}

async function readResource({ view, options, params, request }: Asked): Promise<JsonObject> {
  const { uri } = params;
  if (typeof uri !== "string") throw invalid("uri must be a string");
  await assertApproved(options.approve({ kind: "resource", uri, view }));
  return { ...(await options.client.readResource(uri, { signal: request.signal })) };
}

/** Names and URIs only, of the view's own server: nothing to approve. */
async function listResources({ options, params, request }: Asked): Promise<JsonObject> {
  const { cursor } = params;
  if (cursor !== undefined && typeof cursor !== "string") throw invalid("cursor must be a string");
  return { ...(await options.client.listResources(cursor === undefined ? {} : { cursor }, { signal: request.signal })) };
}

async function openLink({ view, options, params }: Asked): Promise<JsonObject> {
  const url = typeof params["url"] === "string" && URL.canParse(params["url"]) ? new URL(params["url"]) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new McpError(REFUSED, "url must be absolute, and begin with https: or http:");
  await assertApproved(options.onOpenLink!(url, view));
  return {};
}

async function takeMessage({ view, options, params }: Asked): Promise<JsonObject> {
  if (params["role"] !== "user") throw invalid('role must be "user"');
  await assertApproved(options.onMessage!(blocksIn(params, "content"), view));
  return {};
}

async function takeModelContext({ view, options, params }: Asked): Promise<JsonObject> {
  const { content, structuredContent } = params;
  if (structuredContent !== undefined && !isJsonObject(structuredContent)) throw invalid("structuredContent must be an object");
  const context = {
    ...(content !== undefined && { content: blocksIn(params, "content") }),
    ...(structuredContent && { structuredContent }),
  };
  await assertApproved(options.onModelContext!(context, view));
  return {};
}

async function changeMode({ view, options, params }: Asked): Promise<JsonObject> {
  const { mode } = params;
  if (!MODES.includes(mode)) throw invalid('mode must be "inline", "fullscreen" or "pip"');
  const { availableDisplayModes = [] } = view.context;
  const target = mode as DisplayMode; // checked above
  const canChange = availableDisplayModes.includes(target) && view.displayModes.includes(target);
  if (canChange && options.onDisplayMode) view.setContext({ displayMode: await options.onDisplayMode(target, view) });
  return { mode: view.context.displayMode ?? "inline" };
}

async function download({ view, options, params }: Asked): Promise<JsonObject> {
  await assertApproved(options.onDownload!(blocksIn(params, "contents"), view));
  return {};
}

/** @throws McpError -32000 if the answer is false */
async function assertApproved(answer: MaybePromise<boolean | void>): Promise<void> {
  if ((await answer) === false) throw new McpError(REFUSED, "The host refused");
}

/** A list of content blocks: each with a type. @throws McpError -32602 */
function blocksIn(params: JsonObject, member: string): readonly ContentBlock[] {
  const blocks = params[member];
  if (!Array.isArray(blocks) || !blocks.every((block) => isJsonObject(block) && typeof block["type"] === "string"))
    throw invalid(`${member} must be a list of content blocks`);
  return blocks as ContentBlock[]; // the callback reads the members of each type
}

function invalid(message: string): McpError {
  return new McpError(ErrorCode.InvalidParams, message);
}
