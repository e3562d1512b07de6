/** Audit records as log records of OpenTelemetry. */
import type { AuditRecord } from "../middleware/audit/audit-log.ts";

/** The part of a logger of `@opentelemetry/api-logs` that is used. */
export interface AuditLogger {
  /** Takes a log record. */
  emit(record: {
    eventName: string;
    timestamp: number;
    severityNumber: number;
    severityText: string;
    body: string;
    attributes: Record<string, string | number>;
  }): void;
}

/** Severities of OpenTelemetry's log data model. */
const [INFO, WARN, ERROR] = [9, 13, 17] as const;

/**
 * The option `write` of `audit()`, and of the option `audit` of a gateway: writes each record to a logger of OpenTelemetry. The event is `mcp.request`, and
 * attributes have the names that attributes of spans have, if there is one.
 * @example
 * ```ts
 * import { audit } from "tenon/middleware";
 * import { auditLogs, type AuditLogger } from "tenon/otel";
 * import { McpServer } from "tenon/server";
 *
 * const logger: AuditLogger = { emit: ({ body }) => console.log(body) }; // logs.getLogger("notes") of @opentelemetry/api-logs
 * const server = new McpServer({ name: "notes", version: "1.0.0" });
 * server.use(audit({ write: auditLogs(logger) }));
 * ```
 */
export function auditLogs(logger: AuditLogger): (record: AuditRecord) => void {
  return (record) => {
    const { time, method, name, outcome } = record;
    const [severityNumber, severityText] = severityOf(outcome);
    logger.emit({
      eventName: "mcp.request",
      timestamp: Date.parse(time),
      severityNumber,
      severityText,
      body: `${method}${name === undefined ? "" : ` ${name}`} ${outcome}`,
      attributes: attributesOf(record),
    });
  };
}

function severityOf(outcome: AuditRecord["outcome"]): [severityNumber: number, severityText: string] {
  if (outcome === "ok" || outcome === "input_required") return [INFO, "INFO"];
  return outcome === "error" ? [ERROR, "ERROR"] : [WARN, "WARN"];
}

function attributesOf({
  method,
  name,
  principal,
  subject,
  address,
  client,
  server,
  ms,
  outcome,
  code,
  trace,
  ...contents
}: AuditRecord): Record<string, string | number> {
  const { params, result } = contents;
  const all = {
    "mcp.method.name": method,
    [nameAttribute(method)]: name,
    "enduser.id": subject,
    "client.address": address,
    "rpc.jsonrpc.error_code": code,
    "tenon.audit.principal": principal,
    "tenon.audit.client": client,
    "tenon.audit.outcome": outcome,
    "tenon.audit.duration_ms": ms,
    "tenon.audit.trace_id": trace,
    "tenon.group.server": server,
    "tenon.audit.params": params && JSON.stringify(params),
    "tenon.audit.result": result && JSON.stringify(result),
  };
  return Object.fromEntries(Object.entries(all).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function nameAttribute(method: string): string {
  if (method === "tools/call") return "gen_ai.tool.name";
  return method.startsWith("prompts/") ? "gen_ai.prompt.name" : "mcp.resource.uri";
}
