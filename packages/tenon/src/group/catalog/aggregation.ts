/**
 * Puts the lists of one server into the catalog of its group: names them, checks pins, and replaces, refreshes or
 * removes them as a whole.
 *
 * It announces every change.
 */
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Implementation } from "../../protocol/capabilities.ts";
import type { ListDifference } from "./catalog.ts";
import type { ListName } from "../../upstream/listing.ts";
import type { Listing } from "./components.ts";
import type { GroupConnection } from "../connection/group-connection.ts";
import type { GroupContext } from "../group-context.ts";
import { Naming } from "./naming.ts";
import { toolsOutside } from "./outside-uris.ts";
import { NOTHING_HELD } from "./pins.ts";

const NO_LISTS: ReadonlySet<ListName> = new Set();

/** The server whose lists these are. */
export interface ListedServer {
  readonly name: string;
  report(error: unknown): void;
}

/** The parts of a refresh on a connection. */
interface Refresh {
  /** What the server listed last. */
  readonly known: Listing;
  readonly changed: ReadonlySet<ListName>;
  readonly signal: AbortSignal;
  /** Whether the connection was replaced or closed meanwhile. */
  readonly isOver: () => boolean;
}

export class Aggregation<Owner extends ListedServer> {
  /** The name and version that the server declared when it last connected. */
  info: Implementation | undefined;
  readonly #owner: Owner;
  readonly #context: GroupContext<Owner>;
  /** Lists that were refused because another server has one of their names. */
  #refused: ReadonlySet<ListName> | undefined;

  constructor(owner: Owner, context: GroupContext<Owner>) {
    this.#owner = owner;
    this.#context = context;
  }

  /** Prepares a listing. Calling the returned function puts it into the catalog. @throws McpError -32602 if names collide */
  async prepare(listing: Listing): Promise<() => readonly ListDifference[]> {
    const { catalog, nameHook, pins } = this.#context;
    const claims = new Naming(nameHook, this.#serverInfo, this.#owner.name).claims(listing);
    const { held, fresh } = (await pins?.judge(claims)) ?? NOTHING_HELD; // as the server defines them
    const shown = { ...claims, tool: toolsOutside(this.#owner.name, claims.tool) };
    return () => {
      const differences = catalog.commit(this.#owner, shown, held);
      pins?.pin(fresh);
      this.#refused = undefined;
      return differences;
    };
  }

  /** Lists again what has changed, or keeps the old lists if that fails. Resolves with the lists to try again. */
  async refresh(connection: GroupConnection, { known, changed, signal, isOver }: Refresh): Promise<ReadonlySet<ListName>> {
    try {
      const { listing, failed } = await connection.listAgain(known, changed, signal);
      const take = await this.prepare(listing);
      if (isOver()) return NO_LISTS;
      const differences = take();
      connection.listing = listing;
      this.tell(differences);
      return failed;
    } catch (error) {
      if (isOver()) return NO_LISTS;
      this.#owner.report(error);
      if (isCollision(error)) this.#refused = new Set([...(this.#refused ?? []), ...changed]);
      return isCollision(error) || error instanceof LimitExceededError ? NO_LISTS : changed;
    }
  }

  /** Tries refused lists again, because another server has freed names. */
  tryAgain(connection: GroupConnection | undefined): void {
    const lists = this.#refused;
    this.#refused = undefined;
    for (const list of lists ?? []) connection?.changed(list);
  }

  /** Announces changes, and tells other servers of freed names. */
  tell(differences: readonly ListDifference[]): void {
    if (differences.some(({ removed }) => removed.length > 0)) this.#context.namesFreed(this.#owner);
    this.#emit(differences);
  }

  tellResource(uri: string): void {
    const { name } = this.#owner;
    this.#context.emit({ kind: "resource", server: name, name: this.#context.nameHook(uri, this.#serverInfo, "resource", name), uri });
  }

  release(key: string): void {
    this.tell(this.#context.catalog.release(this.#owner, key));
  }

  /** Hides the lists of a server that is down. It keeps its names. */
  hide(): void {
    this.#refused = undefined;
    this.#emit(this.#context.catalog.hide(this.#owner));
  }

  /** Frees the names of a server that is not tried again by itself. */
  clear(): void {
    this.#context.catalog.clear(this.#owner);
    this.#context.namesFreed(this.#owner);
  }

  remove(): void {
    this.#emit(this.#context.catalog.remove(this.#owner));
    this.#context.namesFreed(this.#owner);
  }

  get #serverInfo(): Implementation {
    return this.info ?? { name: this.#owner.name, version: "" };
  }

  #emit(differences: readonly ListDifference[]): void {
    for (const difference of differences) this.#context.emit({ kind: "list", server: this.#owner.name, ...difference });
  }
}

function isCollision(error: unknown): boolean {
  return McpError.isMcpError(error) && error.code === ErrorCode.InvalidParams;
}
