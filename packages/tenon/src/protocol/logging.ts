/** The severities of log messages and their order. */

/** From least to most severe (RFC 5424). */
export const LOGGING_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** How severe a log message is, from `debug` to `emergency` (RFC 5424). */
export type LoggingLevel = (typeof LOGGING_LEVELS)[number];

export function isAtLeast(level: LoggingLevel, threshold: LoggingLevel): boolean {
  return LOGGING_LEVELS.indexOf(level) >= LOGGING_LEVELS.indexOf(threshold);
}
