/**
 * The client whose roots have changed last, of the clients of the servers that mount a group. The group's servers get its roots when they ask
 * outside a call; in a call, the client of the call answers.
 */
import type { Root } from "../protocol/sampling.ts";
import type { ServerSession } from "../session/server-session.ts";

export class ToldRoots {
  /** The session of that client; undefined if the program itself has told of its roots, or none has. */
  session: ServerSession | undefined;

  /** The roots of that client; undefined if there is none, or if it is gone. */
  async ask(signal: AbortSignal): Promise<readonly Root[] | undefined> {
    const { session } = this;
    if (session === undefined) return undefined;
    try {
      return (await session.listRoots({ signal })).roots;
    } catch {
      signal.throwIfAborted();
      if (this.session === session) this.session = undefined;
      return undefined;
    }
  }
}
