/** `tenon/otel`: OpenTelemetry for servers and clients. The only place that imports `@opentelemetry/api`, an optional peer. */
export { otel, type OtelOptions } from "./otel.ts";
export type { MetricsOptions } from "./metric-options.ts";
export { gatewayMetrics, type GatewayMetricsOptions, type MeasuredGateway, type MeasuredServer } from "./gateway-metrics.ts";
export { auditLogs, type AuditLogger } from "./audit-logs.ts";
export { taskMetrics } from "./metrics.ts";
export { withSpan } from "./in-span.ts";
export { extractTraceContext, injectTraceContext } from "./trace-context.ts";
