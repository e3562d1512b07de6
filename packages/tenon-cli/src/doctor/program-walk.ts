/**
 * `tenon doctor <file or command>`: checks whether the program starts, which revision it speaks, whether its stdout holds
 * only protocol messages, and whether it ends.
 */
import { type Client, type Deviation, ErrorCode, McpError, connect } from "tenon/client";
import { DEFAULT_PROBE_TIMEOUT, onEveryDeviation } from "tenon/internal";
import { environmentOf, programTimesOf, revisionOf, type Invocation, type Outcome, type ProgramTimes } from "../invocation.ts";
import { ServerOutput } from "../connection/server-output.ts";
import type { ServerCommand } from "../connection/target.ts";
import { diagnoseProgram, diagnoseSilentProgram, isSilence } from "../connection/diagnosis.ts";
import { explainUnreachable } from "../connection/unreachable.ts";
import { clientInfo } from "../version.ts";
import { checkMessages } from "./messages-hop.ts";
import { describeClient, reportOf } from "./report.ts";
import { HopFailure, ok, skipped, Walk, type HopResult } from "./walk.ts";

/** Milliseconds a program has to exit after its input was closed. */
const END_TIMEOUT = 2_000;

interface Attempt {
  readonly client: Client | undefined;
  readonly error: unknown;
  /** Errors outside calls, such as garbage on its stdout. */
  readonly complaints: readonly Error[];
  /** What deviates from the protocol, from the handshake on. */
  readonly deviations: Deviation[];
  /** Milliseconds from its start to its response. */
  readonly ms: number;
}

/** @param typed the program as the user typed it */
export async function walkToProgram(server: ServerCommand, typed: string, invocation: Invocation): Promise<Outcome> {
  const walk = new Walk(invocation.terminal, invocation.signal);
  const times = programTimesOf(invocation.values);
  const attempt = await walk.hop("start", async () => checkStart(await start(server, invocation, times)));
  await walk.hop("conversation", () => checkConversation(attempt, times.total));
  await walk.hop("stdout", () => checkStdout(attempt));
  await walk.hop("messages", () => checkMessages(attempt?.client, attempt?.deviations ?? [], invocation));
  await walk.hop("end", () => checkEnd(attempt?.client));
  return reportOf(typed, walk);
}

async function start(server: ServerCommand, { values, shell, terminal, signal }: Invocation, times: ProgramTimes): Promise<Attempt> {
  const output = new ServerOutput(terminal);
  const complaints: Error[] = [];
  const deviations: Deviation[] = [];
  const revision = revisionOf(values);
  const begin = performance.now();
  const ms = (): number => Math.round(performance.now() - begin);
  try {
    const client = await connect(
      {
        cwd: shell.cwd,
        ...server,
        env: environmentOf(values, shell.env),
        stderr: output,
        timeouts: { start: times.start, exit: END_TIMEOUT },
      },
      {
        ...(revision && { revision }),
        timeout: times.timeout,
        probeTimeout: Math.min(DEFAULT_PROBE_TIMEOUT, (times.total - times.start) / 2),
        clientInfo: clientInfo(),
        onError: (error) => void complaints.push(error),
        ...onEveryDeviation((deviation) => void deviations.push(deviation)),
        signal: AbortSignal.any([signal, AbortSignal.timeout(times.total)]),
      },
    );
    return { client, error: undefined, complaints, deviations, ms: ms() };
  } catch (error) {
    signal.throwIfAborted();
    return { client: undefined, error, complaints, deviations, ms: ms() };
  } finally {
    output.end();
  }
}

function checkStart(attempt: Attempt): HopResult<Attempt> {
  const found = diagnoseProgram(attempt.error);
  if (found !== undefined) throw new HopFailure(found.problem, found.remedy);
  return ok("it runs", attempt);
}

function checkConversation(attempt: Attempt | undefined, timeout: number): HopResult<unknown> {
  if (attempt === undefined) return skipped("it did not start");
  const late = attempt.complaints.filter(isLateness).map(({ message }) => `. ${message}`);
  if (attempt.client !== undefined) return ok(`${describeClient(attempt.client)}; ${attempt.ms} ms after its start${late.join("")}`);
  const { problem, remedy } = diagnoseSilentProgram(timeout);
  throw new HopFailure(isSilence(attempt.error) ? problem : explainUnreachable(attempt.error), remedy);
}

/** Whether an error repeats another one: a line that is not JSON is reported twice. */
function isEcho(error: Error): boolean {
  return McpError.isMcpError(error) && error.code === ErrorCode.ParseError;
}

/** Whether an error says that the program was slow, and not what it wrote. */
function isLateness(error: Error): boolean {
  return McpError.isMcpError(error) && error.code === ErrorCode.RequestTimeout;
}

function checkStdout(attempt: Attempt | undefined): HopResult<unknown> {
  if (attempt === undefined) return skipped("it did not start");
  const [first, ...more] = attempt.complaints.filter((error) => !isEcho(error) && !isLateness(error));
  if (first === undefined) return ok("nothing but the protocol is on it");
  throw new HopFailure(
    `${first.message}${more.length === 0 ? "" : ` (and ${more.length} more)`}`,
    "It must write to stdout nothing but the protocol: logs belong on stderr.",
  );
}

async function checkEnd(client: Client | undefined): Promise<HopResult<unknown>> {
  if (client === undefined) return skipped("there is no conversation to end");
  const start = performance.now();
  await client.close();
  if (performance.now() - start < END_TIMEOUT) return ok("it ends when its input does");
  throw new HopFailure(`it still ran ${END_TIMEOUT} ms after its input was closed, and was killed`, "It must end when its stdin does.");
}
