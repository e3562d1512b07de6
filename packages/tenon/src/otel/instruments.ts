/**
 * The instruments of `otel({ metrics })`: names, units and boundaries. Those under `mcp.` are of the OpenTelemetry semantic conventions
 * for MCP; those under `tenon.` are not part of any convention.
 */
import { unsent } from "../base/unsent.ts";
import type { Counter, Histogram, Meter, UpDownCounter } from "@opentelemetry/api";

/** Which side of a request is measured: the one that sends it, or the one that handles it. */
export type Side = "client" | "server";

export interface Instruments {
  readonly operations: Readonly<Record<Side, Histogram>>;
  readonly sessions: Readonly<Record<Side, Histogram>>;
  readonly activeRequests: UpDownCounter;
  readonly openSessions: UpDownCounter;
  readonly openStreams: UpDownCounter;
  readonly messageSize: Histogram;
  readonly rejected: Counter;
  readonly runningTasks: UpDownCounter;
  readonly tasks: Histogram;
}

/** The boundaries that the conventions name, in seconds. */
const SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Tasks take up to days. */
const LONG_SECONDS = [1, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];
/** 64 bytes to 4 MiB, by 4. */
const BYTES = Array.from({ length: 9 }, (_, power) => 64 * 4 ** power);

export function createInstruments(meter: Meter): Instruments {
  const durations = (what: "operation" | "session", description: string): Readonly<Record<Side, Histogram>> => {
    const of = (side: Side): Histogram =>
      meter.createHistogram(`mcp.${side}.${what}.duration`, { unit: "s", description, advice: { explicitBucketBoundaries: SECONDS } });
    return { client: of("client"), server: of("server") };
  };
  const openNow = (name: string, unit: string, description: string): UpDownCounter =>
    meter.createUpDownCounter(`tenon.server.${name}`, { unit, description });
  meter
    .createObservableUpDownCounter("tenon.server.queue.size", {
      unit: "By",
      description: "What this process holds for HTTP clients that have not read it",
    })
    .addCallback((result) => result.observe(unsent.size));
  return {
    operations: durations("operation", "Time of one request, from when it is sent or received to its result or error"),
    sessions: durations("session", "Time of one session, from the handshake to its end"),
    activeRequests: openNow("requests.active", "{request}", "Requests whose handlers run"),
    openSessions: openNow("sessions", "{session}", "Sessions that are open"),
    openStreams: openNow("streams", "{stream}", "Streams of subscriptions/listen that are open"),
    messageSize: meter.createHistogram("tenon.server.message.size", {
      unit: "By",
      description: "Size of the HTTP body that a request came in",
      advice: { explicitBucketBoundaries: BYTES },
    }),
    runningTasks: openNow("tasks.running", "{task}", "Tasks whose handlers run"),
    tasks: meter.createHistogram("tenon.server.task.duration", {
      unit: "s",
      description: "Time of one task, from its start to the end of its run",
      advice: { explicitBucketBoundaries: LONG_SECONDS },
    }),
    rejected: meter.createCounter("tenon.server.rejected", { unit: "{request}", description: "Requests that a limit refused" }),
  };
}
