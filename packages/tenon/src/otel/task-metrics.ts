/** `taskMetrics()`: how many tasks run, how they end, and how long they take. */
import type { TaskEvent } from "../session/tasks.ts";
import { Metrics } from "./metrics.ts";
import type { MetricsOptions } from "./metric-options.ts";

/**
 * Measures the tasks of a server: `tasks({ onRun: taskMetrics() })`. Records `tenon.server.tasks.running` and
 * `tenon.server.task.duration`, by tool and, for those that have ended, by `tenon.task.status`.
 * @throws TypeError for an unknown option; RangeError if `maxNames` is not a whole number above 0
 * @example
 * ```ts
 * import { tasks } from "tenon/ext/tasks";
 * import { taskMetrics } from "tenon/otel";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "reports", version: "1.0.0" }, { extensions: [tasks({ onRun: taskMetrics() })] });
 * ```
 */
export function taskMetrics(options: MetricsOptions = {}): (event: TaskEvent) => void {
  const metrics = new Metrics(options);
  return (event) => metrics.task(event);
}
