/**
 * Measures requests and sessions. `otel({ metrics })` puts it beside the spans.
 *
 * Does nothing until the process has registered a meter provider: OpenTelemetry has no meter that waits for one, so this asks again
 * with each request until there is one.
 */
import { createNoopMeter, metrics } from "@opentelemetry/api";
import { systemClock } from "../base/clock.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { createInstruments, type Instruments, type Side } from "./instruments.ts";
import { SCOPE } from "./in-span.ts";
import { Measurement } from "./measurement.ts";
import { MetricAttributes, type Measured } from "./metric-attributes.ts";
import type { TaskEvent } from "../session/tasks.ts";
import { metricSettings, type MetricsOptions } from "./metric-options.ts";

/** The registered provider without one: its meter records nothing. */
const NOOP = createNoopMeter();

/** How a session ends: calls back once, at its end. */
export type AtEnd = (callback: () => void) => void;

export class Metrics {
  readonly #options: ReturnType<typeof metricSettings>;
  readonly #attributes: MetricAttributes;
  #instruments: Instruments | undefined;

  constructor(options: true | MetricsOptions) {
    this.#options = metricSettings(options);
    this.#attributes = new MetricAttributes(this.#options);
  }

  /** Starts to measure a request; undefined if no meter provider is registered. */
  begin(side: Side, request: Measured, bodySize?: string): Measurement | undefined {
    const instruments = (this.#instruments ??= this.#create());
    if (instruments === undefined) return undefined;
    const measurement = new Measurement(side, request, instruments, this.#attributes);
    if (side === "server") measurement.received(bodySize);
    return measurement;
  }

  /** Lets the tools and prompts of a list count as names. */
  learn(method: string, result: JsonObject): void {
    this.#attributes.learnList(method, result);
  }

  session(side: Side, session: Omit<Measured, "params" | "method">, atEnd: AtEnd): void {
    const instruments = this.#instruments;
    if (instruments === undefined) return;
    const began = systemClock.now();
    const attributes = this.#attributes.ofSession(session);
    if (side === "server") instruments.openSessions.add(1, attributes);
    atEnd(() => {
      instruments.sessions[side].record((systemClock.now() - began) / 1_000, attributes);
      if (side === "server") instruments.openSessions.add(-1, attributes);
    });
  }

  /** Counts a run of a task that begins, or measures one that has ended. */
  task({ tool, status, duration }: TaskEvent): void {
    const instruments = (this.#instruments ??= this.#create());
    if (instruments === undefined) return;
    instruments.runningTasks.add(status === "working" ? 1 : -1, this.#attributes.ofTask(tool, undefined));
    if (status !== "working") instruments.tasks.record(duration / 1_000, this.#attributes.ofTask(tool, status));
  }

  #create(): Instruments | undefined {
    const meter = (this.#options.meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE);
    return meter === NOOP ? undefined : createInstruments(meter);
  }
}

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
