/**
 * `resources/list`: the resources that are registered, then those that templates list.
 *
 * A template lists its resources page by page, by its option `list`. Registered resources come first, then each template in the order of
 * registration. A page that has room goes on with the next template. A cursor names a template and holds that template's own cursor, so
 * that it stays good while resources come and go.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { RegistryEntry, Registry } from "./registry.ts";
import { describeResource, type ListedResource, type ListedResources, type Resources, type ServedTemplate } from "./resources.ts";

/** Resources of one page of one template. */
const MAX_LISTED = 10_000;

interface Position {
  /** The ordinal of the template. */
  readonly template: number;
  readonly cursor?: string | undefined;
}

/** One page. @throws McpError -32602 for an invalid cursor; LimitExceededError -32603 if a template lists too much on one page */
export function listResources({ resources, templates }: Resources, context: RequestContext): MaybePromise<JsonObject> {
  const cursor = context.params["cursor"] as string | undefined; // checked by the codec
  const listing = templates.entries.filter((entry) => entry.definition.options.list !== undefined && templates.allows(entry, context));
  const position = cursor === undefined ? undefined : decodeCursor(cursor);
  if (position !== undefined) return listTemplatesFrom(listing, position, { pageSize: templates.pageSize, found: [], context });
  const page = resources.page(cursor, "resources", describeResource, context);
  const [first] = listing;
  if (first === undefined || page["nextCursor"] !== undefined) return page;
  const found = [...(page["resources"] as JsonObject[])]; // made above
  const next = { template: first.ordinal };
  if (found.length >= templates.pageSize) return { resources: found, nextCursor: encodeCursor(next) };
  return listTemplatesFrom(listing, next, { pageSize: templates.pageSize, found, context });
}

interface Filling {
  readonly pageSize: Registry<ServedTemplate>["pageSize"];
  readonly found: JsonObject[];
  readonly context: RequestContext;
}

/** Fills a page from the lists of templates, beginning at `position`. */
async function listTemplatesFrom(
  listing: readonly RegistryEntry<ServedTemplate>[],
  position: Position,
  { pageSize, found, context }: Filling,
): Promise<JsonObject> {
  const start = listing.findIndex(({ ordinal }) => ordinal === position.template);
  if (start === -1) throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
  let { cursor } = position;
  for (const [index, { key, ordinal, definition }] of listing.entries()) {
    if (index < start) continue;
    if (found.length >= pageSize) return { resources: found, nextCursor: encodeCursor({ template: ordinal }) };
    const page = toPage(await definition.options.list!(context, cursor));
    if (page.resources.length > MAX_LISTED) {
      throw new LimitExceededError(`list of ${key}`, MAX_LISTED, page.resources.length, ErrorCode.InternalError);
    }
    for (const resource of page.resources) found.push(toResource(resource, definition.options.mimeType));
    if (page.nextCursor !== undefined)
      return { resources: found, nextCursor: encodeCursor({ template: ordinal, cursor: page.nextCursor }) };
    cursor = undefined;
  }
  return { resources: found };
}

function toPage(listed: ListedResources): { readonly resources: readonly ListedResource[]; readonly nextCursor?: string | undefined } {
  return "resources" in listed ? listed : { resources: listed };
}

function toResource(listed: ListedResource, mimeType: string | undefined): JsonObject {
  const resource = typeof listed === "string" ? { uri: listed } : listed;
  return { name: resource.uri, ...(mimeType !== undefined && { mimeType }), ...resource };
}

function encodeCursor({ template, cursor = "" }: Position): string {
  return btoa(`list:${template}:${encodeURIComponent(cursor)}`);
}

/** The position in a cursor; undefined if {@link encodeCursor} has not made it. */
function decodeCursor(text: string): Position | undefined {
  try {
    const [, template, cursor] = /^list:(\d{1,15}):(.*)$/.exec(atob(text)) ?? [];
    if (template === undefined) return undefined;
    return { template: Number(template), ...(cursor && { cursor: decodeURIComponent(cursor) }) };
  } catch {
    return undefined;
  }
}
