/** The option `metrics` of `otel()`. */
import type { MeterProvider } from "@opentelemetry/api";
import { assertKnown, type OptionKeys } from "../base/known-options.ts";

/** Where the metrics of {@link otel} go, and how many series they may become. */
export interface MetricsOptions {
  /** Makes the instruments. Default: the registered provider, also one that is registered later. */
  meterProvider?: MeterProvider;
  /** Whether `resources/read` is recorded with its URI (`mcp.resource.uri`). Each URI is a series of its own. Default false. */
  resourceUri?: boolean;
  /** The most names of tools, of prompts, of methods, and URIs that are recorded; further ones are `_OTHER`. Default 200. */
  maxNames?: number;
}

const METRICS_OPTIONS: OptionKeys<MetricsOptions> = { meterProvider: 1, resourceUri: 1, maxNames: 1 };
const DEFAULT_MAX_NAMES = 200;

/** The options with their defaults. @throws TypeError for an unknown option; RangeError if `maxNames` is not a whole number above 0 */
export function metricSettings(options: true | MetricsOptions): Required<Omit<MetricsOptions, "meterProvider">> & MetricsOptions {
  const own = options === true ? {} : options;
  assertKnown('the option "metrics" of otel()', own, METRICS_OPTIONS);
  const { maxNames = DEFAULT_MAX_NAMES, resourceUri = false } = own;
  if (!Number.isInteger(maxNames) || maxNames < 1) throw new RangeError(`"metrics.maxNames" must be a whole number above 0: ${maxNames}`);
  return { ...own, maxNames, resourceUri };
}
