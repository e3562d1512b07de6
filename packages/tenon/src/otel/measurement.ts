/** One request while it is measured: what runs now, and its one point at its end. */
import type { Context } from "@opentelemetry/api";
import { systemClock } from "../base/clock.ts";
import { McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import type { Instruments, Side } from "./instruments.ts";
import type { Measured, MetricAttributes } from "./metric-attributes.ts";
import type { Failure } from "./outcome.ts";

/** A request that stays open by design, so its time says nothing. It counts as a stream. */
const LISTEN = "subscriptions/listen";

export class Measurement {
  readonly #side: Side;
  readonly #request: Measured;
  readonly #instruments: Instruments;
  readonly #attributes: MetricAttributes;
  readonly #began: number = systemClock.now();
  /** Milliseconds since 1970 when the request began: the start of its span. */
  readonly startTime: number = Date.now();

  constructor(side: Side, request: Measured, instruments: Instruments, attributes: MetricAttributes) {
    this.#side = side;
    this.#request = request;
    this.#instruments = instruments;
    this.#attributes = attributes;
  }

  /** Counts a request that a server handles. `bodySize`: the header `content-length` of its HTTP request. */
  received(bodySize: string | undefined): void {
    this.#count(1);
    if (bodySize !== undefined && /^\d{1,15}$/.test(bodySize)) this.#instruments.messageSize.record(Number(bodySize), this.#carrier());
  }

  /**
   * Records the point of a request that has ended. Returns when that was, in milliseconds since 1970: the end of its span, so that both
   * have the same duration.
   * @param around the context of its span, from which exemplars come
   */
  end(failure: Failure | undefined, cancelled: boolean, around: Context): number {
    const elapsed = systemClock.now() - this.#began;
    const exists = !cancelled && (failure === undefined || failure.type === "tool_error");
    const attributes = this.#attributes.ofRequest(this.#request, failure, exists);
    const stayedOpen = this.#request.method === LISTEN && failure === undefined;
    if (!stayedOpen) this.#instruments.operations[this.#side].record(elapsed / 1_000, attributes, around);
    if (this.#side === "server") this.#count(-1);
    const limit = this.#side === "server" ? limitOf(failure?.error) : undefined;
    if (limit !== undefined) this.#instruments.rejected.add(1, this.#attributes.ofLimit(limit));
    return this.startTime + elapsed;
  }

  #count(by: 1 | -1): void {
    const { openStreams, activeRequests } = this.#instruments;
    (this.#request.method === LISTEN ? openStreams : activeRequests).add(by, this.#carrier());
  }

  #carrier(): ReturnType<MetricAttributes["ofSession"]> {
    return this.#attributes.ofSession(this.#request);
  }
}

/** The limit that refused a request: errors that a limit causes name it in their data. */
function limitOf(error: unknown): string | undefined {
  const data = McpError.isMcpError(error) ? error.data : undefined;
  return isJsonObject(data) && typeof data["limit"] === "string" ? data["limit"] : undefined;
}
