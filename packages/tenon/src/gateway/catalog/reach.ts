/**
 * What a policy says before a server is asked: whether a caller may use anything of it, and whether it may use what it names.
 *
 * Only the server knows annotations and versions. A denial that has looked at them is not final: the policy is asked again when they are
 * known (`access.ts`). All other denials are final, and then nothing is connected, started or asked to log in.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { KINDS, type Kind } from "../../upstream/listing.ts";
import type { Caller } from "../clients/caller.ts";
import type { PolicyFacts } from "../options.ts";
import type { Settings } from "../settings.ts";
import { NO_AUTH, saysOf } from "./access.ts";
import { deniedError } from "./denial.ts";

export interface WantedEntry {
  readonly kind: Kind;
  readonly server: string;
  /** Its name or URI at the server; undefined if only the server's list tells. */
  readonly id: string | undefined;
  /** As the client wrote it. */
  readonly name: string;
}

export class Reach {
  readonly #settings: Pick<Settings, "policy" | "report">;

  constructor(settings: Pick<Settings, "policy" | "report">) {
    this.#settings = settings;
  }

  /** Whether a caller may use anything of a server, as far as that can be said without the server. */
  mayUse(caller: Caller, server: string): boolean {
    return this.#settings.policy === undefined || KINDS.some((kind) => this.#mayBeAllowed(caller, server, { kind }));
  }

  /** @throws McpError -32602 as for a name that does not exist */
  assertMayName(caller: Caller, { kind, server, id, name }: WantedEntry): void {
    if (this.#settings.policy === undefined) return;
    if (!this.#mayBeAllowed(caller, server, { kind, ...(id !== undefined && { name: id }) })) throw deniedError(kind, name, server);
  }

  #mayBeAllowed(
    { principal, auth }: Caller,
    server: string,
    known: Pick<PolicyFacts, "kind"> & Partial<Pick<PolicyFacts, "name">>,
  ): boolean {
    let hasLooked = false;
    const unknown = <Value>(value: Value): { get: () => Value; enumerable: true } => ({
      get: () => ((hasLooked = true), value),
      enumerable: true,
    });
    const { scopes, claims } = auth ?? NO_AUTH;
    const annotations: JsonObject = noted(() => void (hasLooked = true));
    const facts = Object.defineProperties({ principal, scopes, claims, server, annotations, ...known } as PolicyFacts, {
      ...(known.name === undefined && { name: unknown("") }),
      version: unknown(undefined),
    });
    try {
      return saysOf(this.#settings.policy!, facts) || hasLooked; // asked with a policy only
    } catch (error) {
      if (!hasLooked) this.#settings.report(error, { server, method: "policy" });
      return hasLooked;
    }
  }
}

/** Annotations that call `looked` when one of them is read. */
function noted(look: () => undefined): JsonObject {
  return new Proxy({}, { get: look, has: () => look() ?? false, ownKeys: () => look() ?? [], getOwnPropertyDescriptor: look });
}
