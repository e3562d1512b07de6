/** `tenon/middleware`: ready-made middleware for servers and clients. */
export { audit, type ServerAuditOptions } from "./audit/audit.ts";
export type { AuditLayer, AuditOptions, AuditOutcome, AuditRecord } from "./audit/audit-log.ts";
export type { Redact } from "./audit/redaction.ts";
export { cache, type CacheOptions } from "./cache.ts";
export { log, type LogEntry, type LogOptions } from "./log.ts";
export { rateLimit, type RateLimitOptions } from "./rate-limit.ts";
export { retry, type RetryOptions } from "./retry.ts";
export { timeout, type TimeoutOptions } from "./timeout.ts";
export type { AnyMiddleware } from "./any-middleware.ts";
