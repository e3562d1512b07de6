/** The audit log of a gateway: what it finds out of a request while the request runs, such as the server behind. */
import type { Clock } from "../base/clock.ts";
import { AuditLog, type AuditLayer, type AuditOptions } from "../middleware/audit/audit-log.ts";
import type { RequestContext } from "../session/request-context.ts";
import { deniedServerIn } from "./catalog/denial.ts";

interface Facts {
  server?: string;
  denied?: boolean;
}

export class Audit {
  readonly layer: AuditLayer;
  readonly #facts = new WeakMap<RequestContext, Facts>();

  /** @throws TypeError if a path or a pattern of `redact` is wrong */
  constructor(options: AuditOptions, clock: Clock, report: (error: unknown) => void) {
    const factsOf = (context: RequestContext, error: unknown): Facts => {
      const { server, denied = false } = this.#facts.get(context) ?? {};
      const deniedAt = deniedServerIn(error);
      const at = deniedAt ?? server;
      return { ...(at !== undefined && { server: at }), denied: denied || deniedAt !== undefined };
    };
    this.layer = new AuditLog({ ...options, clock, report, factsOf }).layer;
  }

  routed(context: RequestContext, server: string): void {
    this.#factsOf(context).server = server;
  }

  denied(context: RequestContext): void {
    this.#factsOf(context).denied = true;
  }

  #factsOf(context: RequestContext): Facts {
    let facts = this.#facts.get(context);
    if (facts === undefined) this.#facts.set(context, (facts = {}));
    return facts;
  }
}
