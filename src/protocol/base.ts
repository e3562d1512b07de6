/**
 * What every MCP message shares: `_meta`, cursors, progress tokens, and the base of all params and results.
 *
 * The types of this folder are revision-neutral: the newest model, plus what only older revisions have. They are type
 * aliases, not interfaces, because only aliases fit into {@link JsonObject} without a cast. How a revision writes
 * them on the wire is the business of `wire/`.
 */
import type { JsonObject } from "../jsonrpc/message.ts";

/** Free-form metadata. Keys the protocol gives a meaning to are in `meta-keys.ts`; all others are passed on as they are. */
export type Meta = JsonObject;

/** Chosen by whoever wants progress, repeated in every progress notification. Integer or string. */
export type ProgressToken = string | number;

/** `_meta` of a request. */
export type RequestMeta = {
  /** Present where the sender wants progress notifications for this request. */
  progressToken?: ProgressToken;
  [key: string]: unknown;
};
/** The name the seeds use for {@link RequestMeta}. */
export type RequestParamsMeta = RequestMeta;

/** Where a list goes on. Opaque: never parsed, never built by the receiver; the empty string is a cursor too. */
export type Cursor = string;

export type RequestParams = { _meta?: RequestMeta };
export type NotificationParams = { _meta?: Meta };

/** What kind of result this is (stateless revisions). Extensions add values of their own; absent means `"complete"`. */
export type ResultType = "complete" | "input_required" | (string & {});

export type Result = {
  _meta?: Meta;
  resultType?: ResultType;
};
/** A result that says nothing but that the request was served. */
export type EmptyResult = Result;

export type PaginatedRequestParams = RequestParams & { cursor?: Cursor };
/** No `nextCursor` means that this was the last page. */
export type PaginatedResult = Result & { nextCursor?: Cursor };

/** Whether a cached result may be given to other users than the one who asked. */
export type CacheScope = "public" | "private";

/** How long and for whom a result may be kept (stateless revisions). */
export type CacheableResult = Result & {
  /** Milliseconds from receipt during which the result counts as fresh; default 0. */
  ttlMs?: number;
  /** Default `"private"`. Not an access control. */
  cacheScope?: CacheScope;
};

/** A name for programs and a title for people. */
export type BaseMetadata = {
  name: string;
  /** What people see; the name where absent. */
  title?: string;
};

/** A picture for something in a list. Show it only if `src` is an `https:` or `data:` URI. */
export type Icon = {
  src: string;
  mimeType?: string;
  /** `"48x48"` and the like, or `"any"` for scalable formats. */
  sizes?: readonly string[];
  /** The background it is drawn for. */
  theme?: "light" | "dark";
};
export type Icons = { icons?: readonly Icon[] };

export type Role = "user" | "assistant";

/** Hints for the host about who something is meant for and how much it matters. */
export type Annotations = {
  audience?: readonly Role[];
  /** From 0, optional, to 1, required. */
  priority?: number;
  /** ISO 8601. */
  lastModified?: string;
};
