/**
 * The server's half of apps: checks the option `ui` of each tool, adds `_meta.ui` to the tool, and serves the view as a resource.
 *
 * The metadata and the text of a result are sent to every client. A client between this server and a host passes both on, so a server
 * that left them out for clients without views would break hosts behind a gateway.
 */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { McpUsageError, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CallToolResult } from "../../protocol/tools.ts";
import type { ServerHost, ToolExtension } from "../../session/extension.ts";
import type { ToolUiOptions, ViewSource } from "../../session/tools/tool-ui.ts";
import type { ServerHalf } from "../extension-definition.ts";
import { parseCsp } from "./csp.ts";
import { PERMISSIONS, VIEW_MIME_TYPE } from "./ui.ts";

const UI_OPTIONS: OptionKeys<ToolUiOptions> = {
  view: 1,
  uri: 1,
  visibility: 1,
  csp: { connectDomains: 1, resourceDomains: 1, frameDomains: 1, baseUriDomains: 1 },
  permissions: 1,
  domain: 1,
  prefersBorder: 1,
};

interface ServedView {
  /** The tool that registered it last. */
  readonly tool: string;
  readonly source: ViewSource;
  readonly meta: JsonObject;
  readonly html: () => Promise<string>;
}

export class ServedViews {
  readonly #host: ServerHost;
  readonly #maxHtmlBytes: number;
  readonly #views = new Map<string, ServedView>();

  constructor(host: ServerHost, maxHtmlBytes: number) {
    this.#host = host;
    this.#maxHtmlBytes = maxHtmlBytes;
  }

  get half(): ServerHalf {
    return { tool: (name, options) => this.#extendTool(name, options) };
  }

  /** @throws TypeError, RangeError or InvalidViewError if the option `ui` is wrong; McpUsageError if its URI has another view */
  #extendTool(name: string, { ui: given, _meta }: { ui?: ViewSource | ToolUiOptions; _meta?: JsonObject }): ToolExtension | undefined {
    if (given === undefined) return undefined;
    const ui = toUiOptions(given);
    assertKnown(`"ui" of tool "${name}"`, ui, UI_OPTIONS);
    const { view, visibility } = ui;
    assertVisibility(name, visibility);
    const uri = view === undefined ? undefined : this.#serve(name, ui, view);
    const listed = { ...(uri !== undefined && { resourceUri: uri }), ...(visibility && { visibility: [...visibility] }) };
    return {
      listed: { _meta: { ..._meta, ui: listed } },
      call: (context, run) => (uri === undefined ? run(context) : andThen(run(context), (result) => withText(name, result))),
    };
  }

  /** Registers the view of a tool, and returns its URI. */
  #serve(name: string, ui: ToolUiOptions, source: ViewSource): string {
    const { uri = `ui://${name}/view.html` } = ui;
    if (!uri.startsWith("ui://") || uri.length > 512) throw new RangeError(`The URI of the view of tool "${name}" must begin with ui://`);
    assertViewSource(name, source);
    const view: ServedView = { tool: name, source, meta: metaOf(name, ui), html: htmlOf(source, this.#maxHtmlBytes) };
    const before = this.#views.get(uri);
    if (before !== undefined && before.tool !== name && !isSame(before, view))
      throw new McpUsageError(`The view ${uri} of tool "${name}" differs from the view of another tool: give each its own "uri"`);
    this.#views.set(uri, view);
    if (before === undefined) this.#register(uri, name, view);
    return uri;
  }

  #register(uri: string, name: string, { meta }: ServedView): void {
    const options = { name: `${name} view`, mimeType: VIEW_MIME_TYPE, ...(Object.keys(meta).length > 0 && { _meta: { ui: meta } }) };
    this.#host.resource(uri, options, async () => {
      const { html, meta: now } = this.#views.get(uri)!; // registered views stay
      return {
        contents: [{ uri, mimeType: VIEW_MIME_TYPE, text: await html(), ...(Object.keys(now).length > 0 && { _meta: { ui: now } }) }],
      };
    });
  }
}

/** Views that two tools share: the same HTML and the same rights. */
function isSame(a: ServedView, b: ServedView): boolean {
  return a.source === b.source && JSON.stringify(a.meta) === JSON.stringify(b.meta);
}

function toUiOptions(ui: ViewSource | ToolUiOptions): ToolUiOptions {
  const isView = typeof ui !== "object" || ui === null || ui instanceof URL || "bundle" in ui;
  return isView ? { view: ui } : ui;
}

function assertVisibility(name: string, visibility: unknown): void {
  if (visibility === undefined) return;
  if (Array.isArray(visibility) && visibility.length > 0 && visibility.every((value) => value === "model" || value === "app")) return;
  throw new RangeError(`"visibility" of tool "${name}" must be a list of "model" and "app", with at least one of them`);
}

/** What the contents of the view carry as `_meta.ui`. */
function metaOf(name: string, { csp, permissions = [], domain, prefersBorder }: ToolUiOptions): JsonObject {
  const unknown = permissions.find((permission) => !PERMISSIONS.includes(permission));
  if (unknown !== undefined)
    throw new RangeError(`Unknown permission "${unknown}" of tool "${name}". There are: ${PERMISSIONS.join(", ")}`);
  const declared = Object.entries(parseCsp(csp)).filter(([, origins]) => origins.length > 0);
  return {
    ...(declared.length > 0 && { csp: Object.fromEntries(declared) }),
    ...(permissions.length > 0 && { permissions: Object.fromEntries(permissions.map((permission) => [permission, {}])) }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  };
}

/**
 * A tool with a view must say in text what its view shows, for the model and for hosts without views.
 * @throws TypeError if the result has neither content nor structured content
 */
function withText(name: string, result: CallToolResult): MaybePromise<CallToolResult> {
  const { content, structuredContent, resultType = "complete" } = result;
  if (resultType !== "complete" || content.length > 0) return result;
  if (structuredContent === undefined)
    throw new TypeError(`Tool "${name}" has a view and returned nothing: return what the view shows, as data or as text`);
  return { ...result, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
}

/** @throws TypeError if `source` cannot be the HTML of a view */
function assertViewSource(tool: string, source: unknown): asserts source is ViewSource {
  const problem = problemOf(source);
  if (problem !== undefined) throw new TypeError(`The view of tool "${tool}" ${problem}`);
}

function problemOf(source: unknown): string | undefined {
  if (typeof source === "function") return undefined;
  if (typeof source === "string")
    return source.trimStart().startsWith("<") ? undefined : "must be HTML; for a file give its URL: new URL(…, import.meta.url)";
  const file: unknown = source instanceof URL ? source : Object(source)["bundle"];
  if (!(file instanceof URL)) return "must be HTML, the URL of a file, { bundle: URL } or a function";
  return file.protocol === "file:" ? undefined : "must be a file: URL; a view that is fetched is given as a function";
}

/** Returns a function that makes the HTML. @throws LimitExceededError (the function) if it is longer than `maxBytes` */
function htmlOf(source: ViewSource, maxBytes: number): () => Promise<string> {
  const make = makerOf(source, maxBytes);
  return async () => {
    const html = await make();
    const { byteLength } = new TextEncoder().encode(html);
    if (byteLength > maxBytes) throw new LimitExceededError("maxHtmlBytes", maxBytes, byteLength);
    return html;
  };
}

function makerOf(source: ViewSource, maxBytes: number): () => string | Promise<string> {
  if (typeof source === "string") return () => source;
  if (typeof source === "function") return source;
  if (source instanceof URL) return async () => (await import("#view-files")).readViewFile(source, maxBytes);
  let bundled: Promise<string> | undefined;
  return () => {
    bundled ??= import("#view-files").then(({ bundleView }) => bundleView(source.bundle));
    bundled.catch(() => (bundled = undefined)); // the script may be mended
    return bundled;
  };
}
