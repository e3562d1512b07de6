/**
 * How servers come into a group and leave it: several that connect by themselves, or one that must have connected.
 *
 * Which of them has which name is `group-servers.ts`'s affair, how each is doing its own (`group-server.ts`).
 */
import type { Host } from "../host.ts";
import { Member } from "./group-server.ts";
import type { Members } from "./group-servers.ts";
import type { GroupSession } from "../group-session.ts";
import type { Source } from "./server-source.ts";

export class Roster {
  readonly #host: Host<Member>;
  readonly #members: Members;
  /** Servers that may still turn out not to join. */
  readonly #joining = new Set<Member>();

  constructor(host: Host<Member>, members: Members) {
    this.#host = host;
    this.#members = members;
  }

  /** Adds servers that connect in the background. @throws as {@link Members.claim}, and starts none of them */
  start(sources: readonly (readonly [name: string, source: Source])[]): void {
    const members = sources.map(([name, source]) => [name, new Member(this.#host, source, name)] as const);
    try {
      for (const [name, member] of members) this.#members.claim(name, member);
    } catch (error) {
      for (const [, member] of members) this.#members.release(member);
      throw error;
    }
    for (const [, member] of members) {
      this.#host.catalog.add(member);
      member.start();
    }
  }

  /** Connects to one server and takes it in. @throws why not; then nothing of it is left */
  async join(source: Source, name: string | undefined, signal?: AbortSignal): Promise<GroupSession> {
    const member = new Member(this.#host, source, name);
    if (name !== undefined) this.#members.claim(name, member);
    this.#joining.add(member);
    try {
      return await member.startWith(signal);
    } catch (error) {
      this.#members.release(member);
      throw error;
    } finally {
      this.#joining.delete(member);
    }
  }

  /** Resolves once no server is connecting for the first time any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#members.byName.values()].flatMap(({ settled }) => settled ?? []));
  }

  /** Lets all of them go, at the same time. @throws AggregateError of what could not be closed */
  async close(): Promise<void> {
    const members = new Set([...this.#members.byName.values(), ...this.#joining]);
    const closed = await Promise.allSettled([...members].map((member) => member.close()));
    const errors = closed.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    if (errors.length > 0) throw new AggregateError(errors, "Some servers could not be closed");
  }
}
