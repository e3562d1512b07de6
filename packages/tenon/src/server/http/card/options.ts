/** The option `card` of an endpoint: what it says of its server before a client connects (SEP-2127), and its checks. */
import type { OptionKeys } from "../../../base/known-options.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { Icon } from "../../../protocol/base.ts";
import { isLoopback, pathOf } from "../endpoint/guard.ts";

/**
 * The Server Card of an endpoint: who the server is and where it is. All clients on the network can read it, also if the endpoint has
 * `auth`. It lists no tools. Clients trust nothing in it.
 */
export interface ServerCardOptions {
  /** A name that is unique in the world: your domain in reverse order, a slash and a name, such as `"com.example/weather"`. */
  name: string;
  /** What the server does, in 1 to 100 characters. */
  description: string;
  /**
   * The URL of this endpoint as clients on the network write it, such as `"https://example.com/mcp"`. Security: it is published, so that
   * it must name no host inside a private network. `http:` is for this machine only.
   */
  url: string;
  /** The version of the server. Default: the version of the `McpServer`. */
  version?: string;
  /** The name that users see. Default: the title of the `McpServer`. */
  title?: string;
  /** A page about the server. Default: none. */
  websiteUrl?: string;
  /** Where the source is. Default: none. */
  repository?: CardRepository;
  /** Icons that clients may show. Default: the icons of the `McpServer`. */
  icons?: readonly Icon[];
  /** Headers that clients need, such as an API key. Default: none. */
  headers?: readonly CardHeader[];
  /**
   * Serves `/.well-known/ai-catalog.json` too, with this server as its only entry, so that clients find the endpoint by its domain.
   * Default false.
   */
  catalog?: boolean;
  /** Metadata of your own, by names such as `"com.example/plan"`. Default: none. */
  _meta?: JsonObject;
}

/** Where the source of a server is (SEP-2127). */
export interface CardRepository {
  /** The URL of the repository, for people and for `git clone`. */
  readonly url: string;
  /** Who hosts it, such as `"github"`. */
  readonly source: string;
  /** Its id there, which stays when it is renamed. */
  readonly id?: string;
  /** The folder of the server in it. */
  readonly subfolder?: string;
}

/** A header that clients need for an endpoint (SEP-2127). */
export interface CardHeader {
  /** Its name, such as `"X-Api-Key"`. */
  readonly name: string;
  /** What it is for, for the user. */
  readonly description?: string;
  /** Whether requests fail without it. Default false. */
  readonly isRequired?: boolean;
  /** Whether its value is a secret. Default false. */
  readonly isSecret?: boolean;
  /** Its value if the user gives none. Security: it is published. */
  readonly default?: string;
  /** An example of a value, for a form. */
  readonly placeholder?: string;
  /** The values that it can have. Default: any. */
  readonly choices?: readonly string[];
  /** What the value is. Default `"string"`. */
  readonly format?: "string" | "number" | "boolean" | "filepath";
}

export const CARD_OPTIONS: OptionKeys<ServerCardOptions> = {
  name: 1,
  description: 1,
  url: 1,
  version: 1,
  title: 1,
  websiteUrl: 1,
  repository: 1,
  icons: 1,
  headers: 1,
  catalog: 1,
  _meta: 1,
};

/** @throws TypeError if the card would not have the form that clients expect, or has a URL that other machines must not be sent to */
export function assertCard({ name, description, url }: ServerCardOptions): void {
  if (!/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(name) || name.length > 200)
    throw new TypeError(`card.name: ${JSON.stringify(name)} must be like "com.example/weather", and have 200 characters at most`);
  if (typeof description !== "string" || description === "" || description.length > 100)
    throw new TypeError("card.description must have 1 to 100 characters");
  const { protocol, username, hostname, hash } = URL.canParse(url) ? new URL(url) : NO_URL;
  const isPublic = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  if (!isPublic || username + hash !== "")
    throw new TypeError(`card.url: ${JSON.stringify(url)} must be an https: URL without a user name and a fragment`);
}

const NO_URL = { protocol: "", username: "", hostname: "", hash: "" };

/**
 * Which document a URL asks for: the card, on every path that ends with its name, or the catalog. They are served before the endpoint's own
 * path, because a GET of the endpoint opens a stream.
 */
export function cardAt(url: string, { catalog = false }: ServerCardOptions): "card" | "catalog" | undefined {
  if (!/server-card|ai-catalog/.test(url)) return undefined;
  const path = pathOf(url);
  if (catalog && path === "/.well-known/ai-catalog.json") return "catalog";
  return path.endsWith("/server-card") ? "card" : undefined;
}
