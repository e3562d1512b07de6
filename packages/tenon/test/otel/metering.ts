/** The real SDK with metrics kept in memory; nothing is registered for the process. */
import { MeterProvider, MetricReader, type DataPoint, type Histogram } from "@opentelemetry/sdk-metrics";

/** One point: its attributes, and its value or the count and the sum of its histogram. */
export interface Point {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number;
  readonly sum: number;
  readonly boundaries: readonly number[];
}

/** One instrument, as it was collected. */
export interface Collected {
  readonly name: string;
  readonly unit: string;
  readonly points: readonly Point[];
}

/** A reader that collects only when a test asks it to. */
class ManualReader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

export interface Metering {
  readonly provider: MeterProvider;
  /** Everything so far. */
  all(): Promise<readonly Collected[]>;
  /** The points of one instrument; none if it has recorded nothing. */
  points(name: string): Promise<readonly Point[]>;
}

export function metering(): Metering {
  const reader = new ManualReader();
  const provider = new MeterProvider({ readers: [reader] });
  const all = async (): Promise<readonly Collected[]> => {
    const { resourceMetrics } = await reader.collect();
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
      metrics.map(({ descriptor: { name, unit }, dataPoints }) => ({ name, unit, points: dataPoints.map(toPoint) })),
    );
  };
  return { provider, all, points: async (name) => (await all()).find((metric) => metric.name === name)?.points ?? [] };
}

function toPoint({ attributes, value }: DataPoint<unknown>): Point {
  if (typeof value === "number") return { attributes, value, sum: value, boundaries: [] };
  const { count, sum = 0, buckets } = value as Histogram; // the only other kind of point that is recorded here
  return { attributes, value: count, sum, boundaries: buckets.boundaries };
}
