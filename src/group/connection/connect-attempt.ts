/** One attempt to connect to a server: within its time, and closed again where nobody waits for it any more. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { Clock } from "../../base/clock.ts";
import { unlessAborted } from "../../base/abort.ts";
import type { CleanUp } from "../servers/clean-up.ts";

import { connectOptions } from "./connecting.ts";
import { Deadline } from "../deadline.ts";
import type { GroupTimes } from "../limits.ts";
import type { GroupOptions } from "../options.ts";
import type { GroupSession } from "../group-session.ts";
import type { Source } from "../servers/server-source.ts";

/** Whom it connects to. */
interface Attempted {
  readonly name: string;
  readonly source: Source;
  report(error: unknown): void;
}

/** What the group says of it. */
interface Terms {
  readonly options: GroupOptions;
  readonly times: GroupTimes;
  readonly clock: Clock;
}

/** @param more milliseconds beside `connectTimeout` */
export function deadlineOf(to: Attempted, { times, clock }: Terms, more: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const ms = (to.source.options.connectTimeout ?? times.connectTimeout) + more;
  const late = (): Error => {
    const message = `Server "${to.name}" did not answer within ${ms} ms (option "connectTimeout")`;
    return new McpError(ErrorCode.RequestTimeout, message, { server: to.name, timeoutMs: ms });
  };
  return new Deadline(clock, ms, late, signals);
}

/** Gives up at once where it has to; what comes of the attempt all the same is closed. @throws why it failed; `signal.reason` */
export async function openSession(to: Attempted, { options }: Terms, signal: AbortSignal, cleanUp: CleanUp): Promise<GroupSession> {
  const { source } = to;
  const connecting = connectOptions(
    options,
    source.options,
    () => to.name,
    (error) => to.report(error),
  );
  const opening = source.open({ ...connecting, signal });
  try {
    return await unlessAborted(opening, signal);
  } catch (error) {
    if (source.owned) cleanUp.add(opening.then((late) => late.close()).catch(() => undefined)); // it failed, as expected
    throw error;
  }
}
