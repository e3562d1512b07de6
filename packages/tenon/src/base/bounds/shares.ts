/**
 * Counts what each client has of something that all clients share, so that no client can take all of it.
 *
 * A plain counter: what is counted, and how much one client may have, is decided by its owner. A client without an
 * identity has no share.
 */
export class Shares {
  readonly #counts = new Map<string, number>();

  /** How much that client has; 0 for a client without an identity. */
  of(client: string | undefined): number {
    return client === undefined ? 0 : (this.#counts.get(client) ?? 0);
  }

  add(client: string | undefined): void {
    if (client !== undefined) this.#counts.set(client, this.of(client) + 1);
  }

  remove(client: string | undefined): void {
    if (client === undefined) return;
    const left = this.of(client) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}
