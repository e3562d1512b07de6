/**
 * Detects half-open connections, such as ones that a firewall dropped. A connection that only
 * listens would hear nothing for hours, and commands would run out of time until the system gives up their bytes, after a quarter of
 * an hour.
 */
import { systemClock, type Timer, unref } from "../base/clock.ts";
import { answered, LateError } from "./store-error.ts";

/** Milliseconds from one response to the next question. */
const INTERVAL = 5_000;
/** Milliseconds that a response may take. Two in a row must be late, so that a process that stood still hears what has come meanwhile. */
const LATE = 5_000;

export interface HeartbeatOptions {
  /** Asks the engine over the connection. An error of the engine is a response too. */
  readonly ask: () => Promise<unknown>;
  /** Ends the connection; a new one takes its place. */
  readonly renew: () => unknown;
  readonly onError: (error: unknown) => void;
}

/** Asks now and then. Returns a function that ends it. */
export function startHeartbeat({ ask, renew, onError }: HeartbeatOptions): () => void {
  let timer: Timer;
  let isStopped = false;
  const isAnswered = (): Promise<boolean> =>
    answered(ask(), LATE, "A heartbeat").then(
      () => true,
      (error: Error) => !(error.cause instanceof LateError),
    );
  const beat = async (): Promise<void> => {
    try {
      if ((await isAnswered()) || (await isAnswered()) || isStopped) return;
      onError(new Error(`The engine did not respond for ${(2 * LATE) / 1_000} s: the connection is renewed`));
      await renew();
    } catch (error) {
      onError(error);
    } finally {
      next();
    }
  };
  const next = (): void => {
    if (isStopped) return;
    timer = systemClock.setTimer(INTERVAL, () => void beat());
    unref(timer);
  };
  next();
  return () => {
    isStopped = true;
    systemClock.clearTimer(timer);
  };
}
