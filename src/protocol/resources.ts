/** Listing, reading and watching resources. */
import type { Annotations, CacheableResult, Icons, Meta, NotificationParams, PaginatedResult, RequestParams } from "./base.ts";
import type { BlobResourceContents, Resource, TextResourceContents } from "./content.ts";
import type { InputResponseRequestParams } from "./input-required.ts";

/** A family of resources whose URIs follow an RFC 6570 template. */
export type ResourceTemplate = Icons & {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  /** Only where all resources of the family have the same. */
  mimeType?: string;
  annotations?: Annotations;
  _meta?: Meta;
};

export type ListResourcesResult = PaginatedResult & CacheableResult & { resources: readonly Resource[] };
export type ListResourceTemplatesResult = PaginatedResult & CacheableResult & { resourceTemplates: readonly ResourceTemplate[] };

export type ResourceRequestParams = RequestParams & { uri: string };
export type ReadResourceRequestParams = ResourceRequestParams & InputResponseRequestParams;
export type ReadResourceResult = CacheableResult & { contents: readonly (TextResourceContents | BlobResourceContents)[] };

/** Stateful revisions only. */
export type SubscribeRequestParams = ResourceRequestParams;
export type UnsubscribeRequestParams = ResourceRequestParams;
export type ResourceUpdatedNotificationParams = NotificationParams & { uri: string };
