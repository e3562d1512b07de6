/** `gatewayMetrics()`: the connections of a gateway to each of its servers, their losses, and the requests that wait there. */
import { metrics, type MeterProvider, type Observable, type ObservableResult } from "@opentelemetry/api";
import { assertKnown } from "../base/known-options.ts";
import { SCOPE } from "./in-span.ts";

/** What a gateway says of one server. */
export interface MeasuredServer {
  /** Its name in the configuration. */
  readonly server: string;
  /** Connections that are open. */
  readonly connections: number;
  /** Requests that wait for a connection, or for the server's result. */
  readonly waiting: number;
  /** Connections that were lost since the server was added. */
  readonly restarts: number;
}

/** What is measured: a gateway. */
export interface MeasuredGateway {
  /** Its servers, as they are now. */
  status(): readonly MeasuredServer[];
}

/** Where the metrics go. */
export interface GatewayMetricsOptions {
  /** Makes the instruments. Default: the registered provider. Register it before. */
  meterProvider?: MeterProvider;
}

/**
 * Measures a gateway by server (`tenon.group.server`): `tenon.gateway.connections`, `tenon.gateway.requests.waiting` and `tenon.gateway.restarts`.
 * Durations and errors of the requests come from `gateway.use(otel({ metrics: true }))`.
 * @returns a function that ends it
 * @throws TypeError for an unknown option
 * @example
 * ```ts
 * import { createGateway } from "tenon/gateway";
 * import { gatewayMetrics, otel } from "tenon/otel";
 *
 * await using gateway = createGateway({ servers: {} });
 * gateway.use(otel({ metrics: true }));
 * const stop = gatewayMetrics(gateway);
 * stop();
 * ```
 */
export function gatewayMetrics(gateway: MeasuredGateway, options: GatewayMetricsOptions = {}): () => void {
  assertKnown("gatewayMetrics()", options, { meterProvider: 1 });
  const meter = (options.meterProvider ?? metrics.getMeterProvider()).getMeter(SCOPE);
  const connections = meter.createObservableUpDownCounter("tenon.gateway.connections", {
    unit: "{connection}",
    description: "Connections of a gateway to a server that are open",
  });
  const waiting = meter.createObservableUpDownCounter("tenon.gateway.requests.waiting", {
    unit: "{request}",
    description: "Requests that wait for a connection to a server, or for its result",
  });
  const restarts = meter.createObservableCounter("tenon.gateway.restarts", {
    unit: "{connection}",
    description: "Connections to a server that were lost: a program that ended, a session that expired",
  });
  const stops = [
    observed(connections, gateway, ({ connections: count }) => count),
    observed(waiting, gateway, ({ waiting: count }) => count),
    observed(restarts, gateway, ({ restarts: count }) => count),
  ];
  return () => stops.forEach((stop) => stop());
}

function observed(instrument: Observable, gateway: MeasuredGateway, count: (status: MeasuredServer) => number): () => void {
  const observe = (result: ObservableResult): void => {
    for (const status of gateway.status()) result.observe(count(status), { "tenon.group.server": status.server });
  };
  instrument.addCallback(observe);
  return () => instrument.removeCallback(observe);
}
