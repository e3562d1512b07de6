/** Listing, reading and watching resources. */
import type { Annotations, CacheableResult, Icons, Meta, NotificationParams, PaginatedResult, RequestParams } from "./base.ts";
import type { BlobResourceContents, Resource, TextResourceContents } from "./content.ts";
import type { InputResponseRequestParams } from "./input-required.ts";

/**
 * A family of resources whose URIs follow an RFC 6570 template. `name` is for programs, `title` and `description` are for people
 * and models, `annotations` are hints, `_meta` is free.
 */
export type ResourceTemplate = Icons & {
  /** For example `file:///{path}`; `expandUriTemplate` fills it in. */
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  /** Present only if all resources of the family have the same media type. */
  mimeType?: string;
  annotations?: Annotations;
  _meta?: Meta;
};

/** One page of `resources` (MCP schema). A server may have resources that it does not list. */
export type ListResourcesResult = PaginatedResult & CacheableResult & { resources: readonly Resource[] };
/** One page of `resourceTemplates` (MCP schema). */
export type ListResourceTemplatesResult = PaginatedResult & CacheableResult & { resourceTemplates: readonly ResourceTemplate[] };

/** Names one resource by its `uri` (MCP schema), which is compared byte for byte and never normalised. */
export type ResourceRequestParams = RequestParams & { uri: string };
/** Params of `resources/read`. */
export type ReadResourceRequestParams = ResourceRequestParams & InputResponseRequestParams;
/** The `contents` of a resource (MCP schema): usually one item, several for a directory. */
export type ReadResourceResult = CacheableResult & { contents: readonly (TextResourceContents | BlobResourceContents)[] };

/** Params of `resources/subscribe`. Stateful revisions only. */
export type SubscribeRequestParams = ResourceRequestParams;
/** Params of `resources/unsubscribe`. Stateful revisions only. */
export type UnsubscribeRequestParams = ResourceRequestParams;
/** The resource at `uri` changed (MCP schema); it may be inside the one that was subscribed to. */
export type ResourceUpdatedNotificationParams = NotificationParams & { uri: string };
