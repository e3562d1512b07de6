/**
 * What every MCP message shares: `_meta`, cursors, progress tokens, and the base of all params and results.
 *
 * The types of this folder are revision-neutral: the newest model, plus members that only older revisions have. They are type
 * aliases, not interfaces, because only aliases are assignable to {@link JsonObject} without a cast. `wire/` decides how a revision
 * writes them.
 */
import type { JsonObject } from "../jsonrpc/message.ts";

/** Free-form metadata. The keys that the protocol defines are in `meta-keys.ts`; all others are passed on unchanged. */
export type Meta = JsonObject;

/** The sender of a request chooses it to get progress; every progress notification repeats it. Integer or string. */
export type ProgressToken = string | number;

/** `_meta` of a request. */
export type RequestMeta = {
  /** Present if the sender wants progress notifications for this request. */
  progressToken?: ProgressToken;
  [key: string]: unknown;
};
/** The name the seeds use for {@link RequestMeta}. */
export type RequestParamsMeta = RequestMeta;

/** Where a list continues. Opaque: the receiver never parses or builds it. The empty string is a valid cursor. */
export type Cursor = string;

/** Params of any request (MCP schema): `_meta`, and the params of its method. */
export type RequestParams = { _meta?: RequestMeta };
/** Params of any notification (MCP schema): `_meta`, and the params of its method. */
export type NotificationParams = { _meta?: Meta };

/** What kind of result this is (stateless revisions). Extensions add values of their own; absent means `"complete"`. */
export type ResultType = "complete" | "input_required" | (string & {});

/** What every result has (MCP schema): `_meta`, and on stateless revisions `resultType`, which Tenon adds. */
export type Result = {
  _meta?: Meta;
  resultType?: ResultType;
};
/** A result without content: the request was served. */
export type EmptyResult = Result;

/** Params of a request for a list (MCP schema): `cursor` is the `nextCursor` of the page before; absent for the first page. */
export type PaginatedRequestParams = RequestParams & { cursor?: Cursor };
/** One page of a list (MCP schema). Without `nextCursor` this is the last page. */
export type PaginatedResult = Result & { nextCursor?: Cursor };

/** Whether a cached result may be given to users other than the one who requested it. */
export type CacheScope = "public" | "private";

/** How long a result may be cached, and for whom (stateless revisions). */
export type CacheableResult = Result & {
  /** Milliseconds from receipt during which the result counts as fresh; default 0. */
  ttlMs?: number;
  /** Default `"private"`. Not an access control. */
  cacheScope?: CacheScope;
};

/** A `name` for programs and a title for people (MCP schema). */
export type BaseMetadata = {
  name: string;
  /** The name that people see; default: `name`. */
  title?: string;
};

/** An icon of an item in a list (MCP 2025-11-25, Base Protocol, `icons`). */
export type Icon = {
  /**
   * The URI of the picture. Security: the peer wrote it, so show it only if it is an `https:` or `data:` URI, and fetch it without
   * credentials.
   */
  src: string;
  /** The media type, such as `image/png`, if the source does not state it correctly. */
  mimeType?: string;
  /** `"48x48"` and the like, or `"any"` for scalable formats. */
  sizes?: readonly string[];
  /** The background that it is drawn for. */
  theme?: "light" | "dark";
};
/** What can be shown with a picture (MCP schema, since 2025-11-25): `icons` are one picture in several sizes and themes. */
export type Icons = { icons?: readonly Icon[] };

/** The author of a message in a prompt or in sampling. */
export type Role = "user" | "assistant";

/** Hints for the host: for whom something is meant, and how important it is (MCP schema). */
export type Annotations = {
  /** For whom it is meant. Absent means unknown. */
  audience?: readonly Role[];
  /** From 0, optional, to 1, required. */
  priority?: number;
  /** When it last changed, in ISO 8601. */
  lastModified?: string;
};
