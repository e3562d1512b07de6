/**
 * The `tenon` command: finds the command that was typed, runs it, shows its outcome, and returns the exit code.
 *
 * Only results go to stdout.
 */
import { AuthorizationError } from "tenon/auth";
import { clean, cleanLine, printableUrl, stringifyExact } from "tenon/internal";
import { ErrorCode, McpError } from "tenon/client";
import { login, logout, whoami } from "./login/account-commands.ts";
import { call } from "./commands/call.ts";
import { check } from "./check/check.ts";
import {
  CannotConnectError,
  ExitCode,
  exitCodeOf,
  Interrupted,
  LoginCommandError,
  ServerFileError,
  toErrorData,
  UsageError,
} from "./failure.ts";
import { describeAll, describeCommand } from "./help.ts";
import { parseInvocation, type Command, type Invocation, type Outcome } from "./invocation.ts";
import { dev } from "./dev/dev.ts";
import { evaluate } from "./eval/eval.ts";
import { docs } from "./docs/docs.ts";
import { doctor } from "./doctor/doctor.ts";
import { hosts, install, uninstall } from "./hosts/host-commands.ts";
import { keys } from "./keys/keys.ts";
import { list } from "./commands/list.ts";
import { completion } from "./completion/completion.ts";
import { types } from "./types/types.ts";
import { inspect } from "./inspect/inspect.ts";
import { init } from "./init/init.ts";
import { move } from "./move/move.ts";
import { bundle, publish } from "./package/package-commands.ts";
import { ping } from "./commands/ping.ts";
import { watch } from "./commands/watch.ts";
import { openapi } from "./commands/openapi/openapi.ts";
import { prompt } from "./commands/prompt.ts";
import { record } from "./record/record.ts";
import { read } from "./commands/read.ts";
import { run } from "./commands/run.ts";
import { gateway } from "./commands/gateway/gateway.ts";
import type { Shell } from "./shell.ts";
import { didYouMean } from "./typing-mistakes.ts";
import { Terminal } from "./terminal/terminal.ts";
import { packageVersion } from "./version.ts";

const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    list,
    call,
    read,
    prompt,
    run,
    dev,
    gateway,
    openapi,
    login,
    logout,
    whoami,
    keys,
    doctor,
    check,
    eval: evaluate,
    record,
    docs,
    ping,
    watch,
    inspect,
    types,
    init,
    move,
    bundle,
    publish,
    install,
    uninstall,
    hosts,
    completion,
  }),
);

/** The error codes for a resource that does not exist; the second one since 2026-07-28. */
const NOT_FOUND: ReadonlySet<number> = new Set([ErrorCode.ResourceNotFound, ErrorCode.InvalidParams]);

/** Runs the command that was typed. Resolves with its exit code. */
export async function main(typed: readonly string[], shell: Shell): Promise<number> {
  const [name, ...argv] = typed;
  const terminal = new Terminal(shell);
  try {
    if (name === undefined) {
      terminal.note(describeAll(COMMANDS));
      return ExitCode.Usage;
    }
    if (name === "--help" || name === "-h" || name === "help") {
      const [of] = argv;
      await terminal.print(of === undefined ? describeAll(COMMANDS) : describeCommand(commandOf(of, argv)));
      return ExitCode.Ok;
    }
    if (name === "--version" || name === "-v") {
      await terminal.print(packageVersion());
      return ExitCode.Ok;
    }
    if (name === "__complete") {
      const { candidatesFor } = await import("./completion/candidates.ts");
      const found = candidatesFor(argv, COMMANDS, shell.cwd);
      if (found.length > 0) await terminal.print(found.join("\n"));
      return ExitCode.Ok;
    }
    return await runCommand(commandOf(name, argv), argv, { shell, terminal });
  } catch (error) {
    return fail(error, typed, terminal);
  }
}

/** @throws UsageError if there is no command of that name */
function commandOf(name: string, argv: readonly string[]): Command {
  const command = COMMANDS.get(name);
  if (command !== undefined) return command;
  const later = name.startsWith("-") ? argv.find((word) => COMMANDS.has(word)) : undefined;
  if (later !== undefined) throw new UsageError(`Options come after the command: tenon ${later} ${name} ...`);
  throw new UsageError(`Unknown command ${JSON.stringify(name)}.${didYouMean(name, COMMANDS.keys())}`);
}

async function runCommand(
  command: Command,
  argv: readonly string[],
  { shell, terminal }: Pick<Invocation, "shell" | "terminal">,
): Promise<number> {
  const parsed = parseInvocation(command, argv);
  if (parsed.values.help === true) {
    await terminal.print(describeCommand(command));
    return ExitCode.Ok;
  }
  // Serving on stdio handles signals itself.
  const { signal, release } =
    command.options.includes("json") || parsed.values.http === true
      ? createInterruptSignal(shell)
      : { signal: new AbortController().signal, release: () => undefined };
  try {
    const outcome = await command.run({ ...parsed, shell, terminal, signal });
    if (outcome !== undefined) await show(outcome, parsed.values.json === true, terminal);
    return outcome?.failed === true || outcome?.foundFaults === true ? ExitCode.Failed : ExitCode.Ok;
  } finally {
    release();
  }
}

async function show(outcome: Outcome, json: boolean, terminal: Terminal): Promise<void> {
  if (json) return terminal.printJson(stringifyExact(outcome.json, 2));
  if (outcome.failed !== true) return terminal.print(outcome.text(terminal.paint, terminal.width));
  terminal.note(`${terminal.paintNote("red", "The tool failed:")} ${outcome.text(terminal.paintNote, Infinity)}`);
}

/** Prints the error, and what to do next if that is known. */
async function fail(error: unknown, [name, ...argv]: readonly string[], terminal: Terminal): Promise<number> {
  const ownArgs = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const { code, message, data } = toErrorData(error);
  if (name !== "run" && ownArgs.includes("--json"))
    await terminal.printJson(JSON.stringify({ error: { code, message, data } }, undefined, 2));
  else {
    terminal.note(`${terminal.paintNote("red", "tenon:")} ${isOfConfig(error) ? clean(message) : cleanLine(message)}`);
    if (error instanceof CannotConnectError && error.diagnosis !== undefined) terminal.note(cleanLine(error.diagnosis.remedy));
    const url = ownArgs.find((word) => /^https?:\/\//i.test(word) && URL.canParse(word));
    if (error instanceof AuthorizationError && !(error instanceof LoginCommandError) && url !== undefined)
      terminal.note(`Every step: tenon doctor ${printableUrl(url)}`);
    if (name === "read" && McpError.isMcpError(error) && NOT_FOUND.has(code)) terminal.note("See what there is: tenon list");
    if (error instanceof UsageError && !(error instanceof ServerFileError))
      terminal.note(`See: tenon ${name !== undefined && COMMANDS.has(name) ? `${name} ` : ""}--help`);
  }
  return exitCodeOf(error);
}

/** Whether an error lists the faults of a configuration file, one a line. Its class is not loaded for each command. */
function isOfConfig(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === "ServerConfigError" || (error instanceof UsageError && isOfConfig(error.cause));
}

/** Returns a signal that aborts at the first Ctrl-C, so that the server is ended cleanly. The second Ctrl-C ends the command at once. */
function createInterruptSignal(shell: Shell): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const listenTo = (signal: NodeJS.Signals, exitCode: number): (() => void) => {
    const onSignal = (): void => {
      if (controller.signal.aborted) shell.exit(exitCode);
      controller.abort(new Interrupted(exitCode));
    };
    return shell.onSignal(signal, onSignal);
  };
  const releases = [listenTo("SIGINT", ExitCode.Interrupted), listenTo("SIGTERM", 143), listenTo("SIGHUP", 129)];
  return { signal: controller.signal, release: () => releases.forEach((release) => release()) };
}
