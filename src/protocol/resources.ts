/** Listing, reading and watching resources. */
import type { Annotations, CacheableResult, Icons, Meta, NotificationParams, PaginatedResult, RequestParams } from "./base.ts";
import type { BlobResourceContents, Resource, TextResourceContents } from "./content.ts";
import type { InputResponseRequestParams } from "./input-required.ts";

/**
 * A family of resources whose URIs follow an RFC 6570 template (K2.2). `name` is for programs, `title` and `description` are
 * for people and models, `annotations` are hints, `_meta` is free.
 */
export type ResourceTemplate = Icons & {
  /** Such as `file:///{path}`; `expandUriTemplate` fills it in. */
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  /** Only where all resources of the family have the same. */
  mimeType?: string;
  annotations?: Annotations;
  _meta?: Meta;
};

/** One page of `resources` (TY-41). What a server can be asked for may be more than it lists. */
export type ListResourcesResult = PaginatedResult & CacheableResult & { resources: readonly Resource[] };
/** One page of `resourceTemplates` (TY-42). */
export type ListResourceTemplatesResult = PaginatedResult & CacheableResult & { resourceTemplates: readonly ResourceTemplate[] };

/** Names one resource by its `uri`, which is compared byte for byte and never normalised (CL-17). */
export type ResourceRequestParams = RequestParams & { uri: string };
/** What `resources/read` is given (TY-43). */
export type ReadResourceRequestParams = ResourceRequestParams & InputResponseRequestParams;
/** A resource's `contents`: usually one item, several for a directory (TY-43, K2.7). */
export type ReadResourceResult = CacheableResult & { contents: readonly (TextResourceContents | BlobResourceContents)[] };

/** What `resources/subscribe` is given (TY-45). Stateful revisions only. */
export type SubscribeRequestParams = ResourceRequestParams;
/** What `resources/unsubscribe` is given (TY-45). Stateful revisions only. */
export type UnsubscribeRequestParams = ResourceRequestParams;
/** The resource at `uri` changed; it may lie in the one that was subscribed to (TY-46, I1). */
export type ResourceUpdatedNotificationParams = NotificationParams & { uri: string };
