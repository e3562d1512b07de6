/** Reads the HTML of a view and its rights from the server, and checks both. Nothing is shown yet. */
import { items } from "../../../client/call/pages.ts";
import { LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import type { ViewCsp, ViewPermission } from "../../../session/tools/tool-ui.ts";
import { InvalidViewError, parseCsp, policyOf } from "../csp.ts";
import { PERMISSIONS, VIEW_MIME_TYPE } from "../ui.ts";
import type { AppClient } from "./options.ts";

export interface LoadedView {
  readonly html: string;
  readonly csp: Required<ViewCsp>;
  /** What it asks of the browser, of what the host grants. */
  readonly permissions: readonly ViewPermission[];
  /** Whether it wants a border; undefined if the host decides. */
  readonly prefersBorder: boolean | undefined;
}

export interface LoadOptions {
  readonly maxHtmlBytes: number;
  readonly granted: readonly ViewPermission[];
}

/** @throws InvalidViewError if what the server returned is not a view; LimitExceededError; McpError the server's error */
export async function loadView(client: AppClient, uri: string, { maxHtmlBytes, granted }: LoadOptions): Promise<LoadedView> {
  const { contents } = await client.readResource(uri);
  const [content] = contents;
  if (content === undefined || contents.length > 1)
    throw new InvalidViewError(`The server returned ${contents.length} contents for ${uri}`);
  const mimeType = content.mimeType?.toLowerCase().replaceAll(/\s|"/g, "");
  if (mimeType !== VIEW_MIME_TYPE) throw new InvalidViewError(`${uri} must have the media type ${VIEW_MIME_TYPE}`);
  const size = "text" in content ? content.text.length : (content.blob.length / 4) * 3;
  if (size > maxHtmlBytes) throw new LimitExceededError("limits.maxHtmlBytes", maxHtmlBytes, Math.floor(size));
  const html = "text" in content ? content.text : decode(uri, content.blob);
  const ui = content._meta?.["ui"] ?? (await listedUi(client, uri)) ?? {};
  if (!isJsonObject(ui)) throw new InvalidViewError(`_meta.ui of ${uri} must be an object`);
  const requested = Object.keys(Object(ui["permissions"]) as JsonObject);
  const csp = parseCsp(ui["csp"]);
  return {
    html: withPolicy(html, csp),
    csp,
    permissions: granted.filter((permission) => PERMISSIONS.includes(permission) && requested.includes(permission)),
    prefersBorder: typeof ui["prefersBorder"] === "boolean" ? ui["prefersBorder"] : undefined,
  };
}

function decode(uri: string, blob: string): string {
  try {
    const bytes = Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidViewError(`${uri} must be UTF-8 in base64`, { cause });
  }
}

/** What the list of resources says of a view whose contents say nothing. */
async function listedUi(client: AppClient, uri: string): Promise<unknown> {
  const listed = items(
    (cursor) => client.listResources(cursor === undefined ? {} : { cursor }),
    ({ resources }) => resources,
  );
  for await (const resource of listed) if (resource.uri === uri) return resource._meta?.["ui"];
  return undefined;
}

/**
 * Puts the policy before everything else of the document: whatever follows, the browser reads it first. A second doctype is ignored. The
 * sandbox page sends the same policy as a header; this one holds if another page than Tenon's is used.
 */
function withPolicy(html: string, csp: Required<ViewCsp>): string {
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policyOf(csp)}">${html}`;
}
