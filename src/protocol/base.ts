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

/** Params of any request: `_meta` beside what its method has (TY-08). */
export type RequestParams = { _meta?: RequestMeta };
/** Params of any notification: `_meta` beside what its method has (TY-07). */
export type NotificationParams = { _meta?: Meta };

/** What kind of result this is (stateless revisions). Extensions add values of their own; absent means `"complete"`. */
export type ResultType = "complete" | "input_required" | (string & {});

/** What every result has (TY-08): `_meta`, and on stateless revisions `resultType`, which Tenon writes by itself. */
export type Result = {
  _meta?: Meta;
  resultType?: ResultType;
};
/** A result that says nothing but that the request was served. */
export type EmptyResult = Result;

/** Params of a request for a list: `cursor` is the `nextCursor` of the page before; absent for the first page (K5.1). */
export type PaginatedRequestParams = RequestParams & { cursor?: Cursor };
/** One page of a list (K5.1). No `nextCursor` means that this was the last page. */
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

/** A `name` for programs and a title for people (TY-08). */
export type BaseMetadata = {
  name: string;
  /** What people see; the name where absent. */
  title?: string;
};

/** A picture for something in a list (TY-92, A7.1). */
export type Icon = {
  /** Where it is. Written by the peer: show it only if it is an `https:` or `data:` URI, and fetch it without credentials (A7.3). */
  src: string;
  /** Of the picture, such as `image/png`, where its source does not say it right. */
  mimeType?: string;
  /** `"48x48"` and the like, or `"any"` for scalable formats. */
  sizes?: readonly string[];
  /** The background it is drawn for. */
  theme?: "light" | "dark";
};
/** What can be shown with a picture: `icons` are the same one in several sizes and themes (A7.1, since 2025-11-25). */
export type Icons = { icons?: readonly Icon[] };

/** Who speaks in a message of a prompt or of sampling. */
export type Role = "user" | "assistant";

/** Hints for the host about who something is meant for and how much it matters (TY-48). */
export type Annotations = {
  /** Who should see it. Absent says nothing. */
  audience?: readonly Role[];
  /** From 0, optional, to 1, required. */
  priority?: number;
  /** When it changed last, in ISO 8601. */
  lastModified?: string;
};
