/** `--metrics`: the metrics of a gateway for Prometheus, on this machine only. OpenTelemetry is loaded with it, and is an optional peer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type * as Resources from "@opentelemetry/resources";
import type { Gateway } from "tenon/gateway";
import { UsageError } from "../../failure.ts";

const HOST = "127.0.0.1";
/** Security: a page of a browser must not read the metrics under a name of its own. */
const HOSTS: ReadonlySet<string> = new Set([HOST, "localhost"]);
const INSTALL =
  "npm install @opentelemetry/api@1 @opentelemetry/resources@2 @opentelemetry/sdk-metrics@2 @opentelemetry/exporter-prometheus@0.223";
/** `service.name` of the metrics, if OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES name no other. */
const SERVICE = "tenon-gateway";

/**
 * Serves `GET /metrics` on 127.0.0.1 until the returned function is called.
 * @throws UsageError if the packages are missing, or the port is taken
 */
export async function serveMetrics(gateway: Gateway, port: number, note: (line: string) => void): Promise<() => Promise<void>> {
  const { MeterProvider, PrometheusExporter, resources, otel, gatewayMetrics } = await load();
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ readers: [exporter], resource: resourceOf(resources) });
  const server = await listen(port, (request, response) => exporter.getMetricsRequestHandler(request, response));
  gateway.use(otel({ metrics: { meterProvider } }));
  const stop = gatewayMetrics(gateway, { meterProvider });
  note(`Metrics for Prometheus are at http://${HOST}:${(server.address() as AddressInfo).port}/metrics`); // it listens on a port
  return async () => {
    stop();
    server.close();
    server.closeAllConnections();
    await meterProvider.shutdown();
  };
}

/** What the metrics are of: the attributes of the environment replace the gateway's. */
function resourceOf({ defaultResource, detectResources, envDetector, resourceFromAttributes }: typeof Resources): Resources.Resource {
  const own = resourceFromAttributes({ "service.name": SERVICE });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

async function load() {
  try {
    const [{ MeterProvider }, { PrometheusExporter }, resources, { otel, gatewayMetrics }] = await Promise.all([
      import("@opentelemetry/sdk-metrics"),
      import("@opentelemetry/exporter-prometheus"),
      import("@opentelemetry/resources"),
      import("tenon/otel"),
    ]);
    return { MeterProvider, PrometheusExporter, resources, otel, gatewayMetrics };
  } catch (cause) {
    throw new UsageError(`--metrics needs packages of OpenTelemetry that are not installed: ${INSTALL}`, { cause });
  }
}

async function listen(port: number, serve: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const status = statusOf(request);
    if (status === 200) serve(request, response);
    else response.writeHead(status).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new UsageError(`Metrics cannot be served on port ${port}: ${cause.code ?? cause.message}. Give another one with --metrics.`, {
          cause,
        }),
      ),
    );
    server.listen(port, HOST, resolve);
  });
  return server;
}

function statusOf({ method, url = "", headers: { host = "" } }: IncomingMessage): number {
  if (!HOSTS.has(host.replace(/:\d+$/, ""))) return 403;
  if (url.split("?")[0] !== "/metrics") return 404;
  return method === "GET" ? 200 : 405;
}
