/** How many commands of the engine a request needs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineUsage } from "./engine-usage.ts";
import type { Requests } from "./requests.ts";

/** Commands for one request, without those that nodes send although nothing is asked of them. */
export interface Commands {
  /** A call of 2026-07-28. */
  readonly stateless: number;
  /** `initialize`, and the notification after it. */
  readonly open: number;
  /** A call of a session that the node has not read before. */
  readonly elsewhere: number;
  /** A call of a session that the node has read within the last second. */
  readonly fresh: number;
  /** As `fresh`, with a response that is a stream of two events. */
  readonly stream: number;
}

const REQUESTS = 300;
/** Milliseconds in which the commands of nodes that are asked nothing are counted. */
const CALM = 10_000;

/** `opening` opens the sessions that `other` serves. */
export async function commandsPerRequest(
  requests: Requests,
  [opening, other]: readonly [number, number],
  usage: () => Promise<EngineUsage>,
): Promise<Commands> {
  const counted = async (work: () => Promise<unknown>): Promise<{ commands: number; ms: number }> => {
    const [before, began] = [await usage(), performance.now()];
    await work();
    const after = await usage();
    return { commands: after.commands! - before.commands!, ms: performance.now() - began };
  };
  const calm = await counted(() => sleep(CALM));
  const each = async (work: (index: number) => Promise<unknown>): Promise<number> => {
    const { commands, ms } = await counted(async () => {
      for (let index = 0; index < REQUESTS; index++) await work(index);
    });
    return Math.round(((commands - (calm.commands / calm.ms) * ms) / REQUESTS) * 10) / 10;
  };
  const sessions: Awaited<ReturnType<Requests["open"]>>[] = [];
  const open = await each(async () => sessions.push(await requests.open(opening)));
  const elsewhere = await each((index) => requests.call(other, sessions[index]!));
  const session = sessions[0]!;
  return {
    stateless: await each(() => requests.stateless(other)),
    open,
    elsewhere,
    fresh: await each(() => requests.call(other, session)),
    stream: await each(() => requests.call(other, session, "stream")),
  };
}
