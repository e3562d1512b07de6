/**
 * What one server lists, in the catalog of its group: named, judged, put there as a whole, refreshed, taken away.
 *
 * Everything that is different afterwards is told.
 */
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Implementation } from "../../protocol/capabilities.ts";
import type { ListDifference } from "./catalog.ts";
import type { Listing } from "./components.ts";
import type { GroupConnection } from "../connection/group-connection.ts";
import type { GroupContext } from "../group-context.ts";
import { Naming } from "./naming.ts";
import { NOTHING_HELD } from "./tool-pins.ts";
import type { ListCapability } from "../connection/watch.ts";

/** The server whose lists they are, as far as they need it. */
export interface ListedServer {
  readonly name: string;
  report(error: unknown): void;
}

/** What to list again on a connection. */
interface Refresh {
  /** What the server listed before. */
  readonly known: Listing;
  readonly changed: ReadonlySet<ListCapability>;
  readonly signal: AbortSignal;
  /** Whether the connection has been replaced or closed meanwhile. */
  readonly isOver: () => boolean;
}

export class Aggregation<Owner extends ListedServer> {
  /** Who the server said it is when it last connected. */
  info: Implementation | undefined;
  readonly #owner: Owner;
  readonly #context: GroupContext<Owner>;
  /** Lists that could not be taken over because another server has a name of theirs. */
  #refused: ReadonlySet<ListCapability> | undefined;

  constructor(owner: Owner, context: GroupContext<Owner>) {
    this.#owner = owner;
    this.#context = context;
  }

  /** Makes a listing ready. Calling the result puts it into the catalog. @throws McpError -32602 for names that collide */
  async prepare(listing: Listing): Promise<() => readonly ListDifference[]> {
    const { catalog, nameHook, pins } = this.#context;
    const claims = new Naming(nameHook, this.#serverInfo, this.#owner.name).claims(listing);
    const { held, fresh } = (await pins?.judge(claims.tool)) ?? NOTHING_HELD;
    return () => {
      const differences = catalog.commit(this.#owner, claims, held);
      pins?.pin(fresh);
      this.#refused = undefined;
      return differences;
    };
  }

  /** Takes over what has changed, or keeps what there was. Resolves with whether to try once more. */
  async refresh(connection: GroupConnection, { known, changed, signal, isOver }: Refresh): Promise<boolean> {
    try {
      const listing = await connection.listAgain(known, changed, signal);
      const take = await this.prepare(listing);
      if (isOver()) return false;
      const differences = take();
      connection.listing = listing;
      this.tell(differences);
      return false;
    } catch (error) {
      if (isOver()) return false;
      this.#owner.report(error);
      if (isCollision(error)) this.#refused = new Set([...(this.#refused ?? []), ...changed]);
      return !isCollision(error) && !(error instanceof LimitExceededError);
    }
  }

  /** Names of another server are free: what was refused for them may be possible now. */
  tryAgain(connection: GroupConnection | undefined): void {
    const lists = this.#refused;
    this.#refused = undefined;
    for (const list of lists ?? []) connection?.changed(list);
  }

  /** Tells of changes. Names that are free now are free for all others. */
  tell(differences: readonly ListDifference[]): void {
    if (differences.some(({ removed }) => removed.length > 0)) this.#context.namesFreed(this.#owner);
    this.#emit(differences);
  }

  tellResource(uri: string): void {
    const { name } = this.#owner;
    this.#context.emit({ kind: "resource", server: name, name: this.#context.nameHook(uri, this.#serverInfo, "resource", name), uri });
  }

  /** That tool may be used as it is now. */
  release(tool: string): void {
    this.tell(this.#context.catalog.release(this.#owner, tool));
  }

  /** The server is down. Its names stay its own. */
  hide(): void {
    this.#refused = undefined;
    this.#emit(this.#context.catalog.hide(this.#owner));
  }

  /** The server does not come back by itself, but it may. */
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
