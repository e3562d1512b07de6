/** Skills on one server: the three methods of the extension, and the files behind `resources/read`. */
import type { FileTree } from "../../base/file-tree.ts";
import { decodeUtf8, toBase64 } from "../../base/bytes.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerHost } from "../../session/extension.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ServerHalf } from "../extension-definition.ts";
import { mediaTypeOf, readServed, type Catalog, type ServedFile } from "./catalog.ts";
import { LiveCatalog } from "./live-catalog.ts";
import { canonicalUri } from "./skill-uri.ts";
import type { Skill } from "./skill.ts";

export interface SkillsSettings {
  readonly openTree: () => Promise<FileTree>;
  readonly prefix: string | undefined;
  readonly watch: boolean;
  readonly pageSize: number;
  /** How long and for which users caches may keep results. */
  readonly freshness: { readonly ttlMs: number; readonly cacheScope: "public" | "private" };
}

export class SkillsServer {
  readonly #host: ServerHost;
  readonly #settings: SkillsSettings;
  readonly #catalog: LiveCatalog;
  /** The `SKILL.md` that are registered as resources, by URI. */
  readonly #registered = new Map<string, { remove(): void }>();

  constructor(host: ServerHost, settings: SkillsSettings) {
    this.#host = host;
    this.#settings = settings;
    const { openTree, prefix, watch } = settings;
    const report = (error: unknown): void => host.report(error, "skills");
    this.#catalog = new LiveCatalog({ openTree, prefix, watch, report, onChange: (before, after) => this.#swap(before, after) });
    host.use("resources/read", (next) => async (context) => {
      const uri = context.params["uri"] as string; // checked by the codec
      return (this.#registered.has(uri) ? undefined : await this.#readFile(uri)) ?? next(context);
    });
    for (const method of ["resources/list", "resources/subscribe"]) {
      host.use(method, (next) => async (context) => {
        await this.#catalog.get(); // it registers the skills that are listed and can be subscribed to
        return next(context);
      });
    }
  }

  get half(): ServerHalf {
    return {
      capabilities: { resources: { subscribe: true, listChanged: true } },
      handlers: {
        "skills/list": (context) => this.#list(context),
        "skills/get": (context) => this.#get(context),
        "resources/directory/read": (context) => this.#readFolder(context),
      },
      begin: () => void this.#catalog.begin(),
      close: () => this.#catalog.close(),
    };
  }

  async #list({ params }: RequestContext): Promise<JsonObject> {
    const { skills } = await this.#catalog.get();
    return this.#page("skills", skills, params["cursor"]);
  }

  /** @throws McpError -32602 if no such skill is served */
  async #get({ params }: RequestContext): Promise<JsonObject> {
    const uri = uriIn(params);
    const { skills } = await this.#catalog.get();
    const skill = skills.find((one) => one.uri === uri);
    if (skill === undefined) throw new McpError(ErrorCode.InvalidParams, "Unknown skill", { uri: params["uri"] });
    return { skill, ...this.#settings.freshness };
  }

  /** @throws McpError -32602 if the URI does not name a folder */
  async #readFolder({ params }: RequestContext): Promise<JsonObject> {
    const { folders } = await this.#catalog.get();
    const children = folders.get(uriIn(params));
    if (children === undefined) throw new McpError(ErrorCode.InvalidParams, "Not a folder of a skill", { uri: params["uri"] });
    return this.#page("resources", children, params["cursor"]);
  }

  /** A page of a list that is ordered by URI: the cursor holds the last URI of the page before. @throws McpError -32602 */
  #page(member: string, items: readonly { readonly uri: string }[], cursor: unknown): JsonObject {
    const { pageSize, freshness } = this.#settings;
    const after = cursor === undefined ? "" : decodeCursor(cursor);
    const sorted = [...items].sort((a, b) => (a.uri < b.uri ? -1 : 1)).filter(({ uri }) => uri > after);
    const page = sorted.slice(0, pageSize);
    return {
      [member]: page,
      ...freshness,
      ...(sorted.length > page.length && { nextCursor: toBase64(new TextEncoder().encode(`after:${page.at(-1)!.uri}`)) }),
    };
  }

  /** The result for a file of a skill; undefined if the URI does not name one. */
  async #readFile(uri: string): Promise<JsonObject | undefined> {
    const canonical = canonicalUri(uri);
    const file = canonical === undefined ? undefined : (await this.#catalog.get()).files.get(canonical);
    if (file === undefined) return undefined;
    const bytes = await this.#read(file);
    const mimeType = mediaTypeOf(file.uri);
    return { contents: [{ uri, ...(mimeType !== undefined && { mimeType }), ...textOrBlob(bytes) }], ...this.#settings.freshness };
  }

  async #read(file: ServedFile): Promise<Uint8Array> {
    try {
      return await readServed(file);
    } catch (error) {
      this.#catalog.refresh();
      throw error;
    }
  }

  /** Registers new skills, removes those that are gone, and notifies the subscribers of those that changed. */
  #swap(before: Catalog, after: Catalog): void {
    for (const [uri, registered] of this.#registered) {
      if (after.files.has(uri)) continue;
      registered.remove();
      this.#registered.delete(uri);
    }
    const digests = new Map(before.skills.map((skill) => [skill.uri, JSON.stringify(skill)]));
    for (const skill of after.skills) {
      const known = digests.get(skill.uri);
      if (known === undefined || !this.#registered.has(skill.uri)) this.#register(skill);
      else if (known !== JSON.stringify(skill)) this.#host.resourceUpdated(skill.uri);
    }
  }

  #register({ uri, frontmatter: { name, description } }: Skill): void {
    const options = { name, description, mimeType: "text/markdown" };
    this.#registered.set(
      uri,
      this.#host.resource(uri, options, (request) => this.#readFile(request)),
    );
  }
}

/** The canonical URI in the params. @throws McpError -32602 if `uri` is missing */
function uriIn({ uri }: JsonObject): string {
  if (typeof uri !== "string") throw new McpError(ErrorCode.InvalidParams, '"uri" must be a string');
  return canonicalUri(uri) ?? uri;
}

/** The URI in a cursor. @throws McpError -32602 if {@link encodeCursor} did not make it */
function decodeCursor(cursor: unknown): string {
  try {
    const text = atob(cursor as string); // another type throws or does not match
    if (text.startsWith("after:")) return text.slice("after:".length);
  } catch {
    // Not base64.
  }
  throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
}

/** Sends UTF-8 as text and other bytes as base64, so that every byte arrives unchanged. */
function textOrBlob(bytes: Uint8Array): { text: string } | { blob: string } {
  try {
    return { text: decodeUtf8([bytes]) };
  } catch {
    return { blob: toBase64(bytes) };
  }
}
