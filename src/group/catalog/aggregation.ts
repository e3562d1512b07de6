/**
 * What one server lists, in the catalog of its group: named, judged, put there as a whole, refreshed, taken away.
 *
 * Everything that is different afterwards is told.
 */
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Implementation } from "../../protocol/capabilities.ts";
import type { ListDifference } from "./catalog.ts";
import type { Listing } from "./components.ts";
import type { Connection } from "../connection/connection.ts";
import type { Host } from "../host.ts";
import { Naming } from "./naming.ts";
import { NOTHING_HELD } from "./tool-pins.ts";
import type { ListCapability } from "../connection/watch.ts";

/** The server whose lists they are, as far as they need it. */
export interface Listed {
  readonly name: string;
  report(error: unknown): void;
}

export class Aggregation<Owner extends Listed> {
  /** Who the server said it is when it last connected. */
  info: Implementation | undefined;
  readonly #member: Owner;
  readonly #host: Host<Owner>;
  /** Lists that could not be taken over because another server has a name of theirs. */
  #refused: ReadonlySet<ListCapability> | undefined;

  constructor(member: Owner, host: Host<Owner>) {
    this.#member = member;
    this.#host = host;
  }

  /** Makes a listing ready. Calling the result puts it into the catalog. @throws McpError -32602 for names that collide */
  async prepare(listing: Listing): Promise<() => readonly ListDifference[]> {
    const { catalog, nameHook, pins } = this.#host;
    const claims = new Naming(nameHook, this.#server, this.#member.name).claims(listing);
    const { held, fresh } = (await pins?.judge(claims.tool)) ?? NOTHING_HELD;
    return () => {
      const differences = catalog.commit(this.#member, claims, held);
      pins?.pin(fresh);
      this.#refused = undefined;
      return differences;
    };
  }

  /**
   * Takes over what has changed, or keeps what there was (SG-29). Resolves with whether to try once more.
   * @param isOver whether the connection is of no interest any more
   */
  async refresh(
    connection: Connection,
    known: Listing,
    changed: ReadonlySet<ListCapability>,
    signal: AbortSignal,
    isOver: () => boolean,
  ): Promise<boolean> {
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
      this.#member.report(error);
      if (isCollision(error)) this.#refused = new Set([...(this.#refused ?? []), ...changed]);
      return !isCollision(error) && !(error instanceof LimitExceededError);
    }
  }

  /** Names of another server are free: what was refused for them may be possible now. */
  tryAgain(connection: Connection | undefined): void {
    const lists = this.#refused;
    this.#refused = undefined;
    for (const list of lists ?? []) connection?.changed(list);
  }

  /** Tells of changes. Names that are free now are free for all others. */
  tell(differences: readonly ListDifference[]): void {
    if (differences.some(({ removed }) => removed.length > 0)) this.#host.namesFreed(this.#member);
    this.#emit(differences);
  }

  tellResource(uri: string): void {
    const { name } = this.#member;
    this.#host.emit({ kind: "resource", server: name, name: this.#host.nameHook(uri, this.#server, "resource", name), uri });
  }

  /** That tool may be used as it is now. */
  release(tool: string): void {
    this.tell(this.#host.catalog.release(this.#member, tool));
  }

  /** The server is down. Its names stay its own. */
  hide(): void {
    this.#refused = undefined;
    this.#emit(this.#host.catalog.hide(this.#member));
  }

  /** The server does not come back by itself, but it may. */
  clear(): void {
    this.#host.catalog.clear(this.#member);
    this.#host.namesFreed(this.#member);
  }

  remove(): void {
    this.#emit(this.#host.catalog.remove(this.#member));
    this.#host.namesFreed(this.#member);
  }

  get #server(): Implementation {
    return this.info ?? { name: this.#member.name, version: "" };
  }

  #emit(differences: readonly ListDifference[]): void {
    for (const difference of differences) this.#host.emit({ kind: "list", server: this.#member.name, ...difference });
  }
}

function isCollision(error: unknown): boolean {
  return McpError.isMcpError(error) && error.code === ErrorCode.InvalidParams;
}
