/** `tenon/middleware`: layers that many servers and clients want. Each is a function; take what you need. */
export { cache, type CacheOptions } from "./cache.ts";
export { log, type LogEntry, type LogOptions } from "./log.ts";
export { rateLimit, type RateLimitOptions } from "./rate-limit.ts";
export { retry, type RetryOptions } from "./retry.ts";
export { timeout, type TimeoutOptions } from "./timeout.ts";
export type { AnyMiddleware } from "./any-middleware.ts";
