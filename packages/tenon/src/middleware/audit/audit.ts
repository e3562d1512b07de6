/** `audit()`: the audit log of a server, as middleware. A gateway has it as an option, because it knows the server behind. */
import { systemClock, type Clock } from "../../base/clock.ts";
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { attempt } from "../../base/maybe-promise.ts";
import { McpError } from "../../jsonrpc/mcp-error.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { AuditLog, type AuditLayer, type AuditOptions } from "./audit-log.ts";

/** Options of {@link audit}. */
export interface ServerAuditOptions extends AuditOptions {
  /** Gets what `write` throws. Default: `console.error`. */
  onError?: (error: unknown) => void;
  /** The clock. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

export function auditKeys(): OptionKeys<AuditOptions> {
  return { write: 1, contents: 1, redact: { paths: 1, patterns: 1 } };
}

/**
 * Records each request of a server when it has ended: who, what, how long and how it ended. Add it before other middleware, so that it sees what
 * they refuse.
 *
 * Security: arguments and results are recorded only with `contents`, and `redact` takes parts out. Tokens are never recorded.
 * @throws TypeError if an option is missing, unknown or has a wrong value
 * @example
 * ```ts
 * import { audit } from "tenon/middleware";
 * import { openJsonLines } from "tenon/node";
 * import { McpServer } from "tenon/server";
 *
 * const log = openJsonLines("audit.jsonl");
 * const server = new McpServer({ name: "notes", version: "1.0.0" });
 * server.use(audit({ write: log.write }));
 * ```
 */
export function audit(options: ServerAuditOptions): AuditLayer {
  assertKnown("audit()", options, { ...auditKeys(), onError: 1, clock: 1 } satisfies OptionKeys<ServerAuditOptions>);
  if (typeof options.write !== "function")
    throw new TypeError('audit() needs option "write", a function that gets each record: openJsonLines("audit.jsonl").write');
  // oxlint-disable-next-line no-console -- the documented default
  const { clock = systemClock, onError: report = (error: unknown): void => console.error(error) } = options;
  const log = new AuditLog({
    ...options,
    clock,
    report: (error) =>
      void attempt(
        () => report(error),
        () => undefined,
      ),
    factsOf: (context, error) => ({ isToolError: isToolError(context, error) }),
  });
  return log.layer;
}

/** An error of a tool becomes a result with `isError` outside of the middleware. */
function isToolError({ method }: RequestContext, error: unknown): boolean {
  return method === "tools/call" && !McpError.isMcpError(error);
}
