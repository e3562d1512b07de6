/**
 * Parses the command line: positions, options, and the words after `--`. Defines what a command is.
 *
 * Node's `parseArgs` parses the options. This file adds that each command accepts only its own options, and that every
 * error names the help.
 */
import { parseArgs as parseOptions } from "node:util";
import { DEFAULT_START_TIMEOUT, type Paint, isSupportedVersion } from "tenon/internal";
import { type ProtocolVersion, SUPPORTED_PROTOCOL_VERSIONS } from "tenon";
import { UsageError } from "./failure.ts";
import { explainOptionMistake } from "./typing-mistakes.ts";
import type { Environment, Shell } from "./shell.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Milliseconds a server has for each response, unless `--timeout` is given. */
export const DEFAULT_TIMEOUT = 60_000;

const OPTIONS = {
  arg: { type: "string", multiple: true },
  args: { type: "string" },
  env: { type: "string", multiple: true },
  header: { type: "string", multiple: true },
  timeout: { type: "string" },
  "start-timeout": { type: "string" },
  revision: { type: "string" },
  json: { type: "boolean" },
  stdio: { type: "boolean" },
  http: { type: "boolean" },
  port: { type: "string" },
  watch: { type: "boolean" },
  store: { type: "string" },
  device: { type: "boolean" },
  "no-browser": { type: "boolean" },
  scope: { type: "string" },
  "client-id": { type: "string" },
  issuer: { type: "string" },
  resource: { type: "string" },
  "assume-pkce": { type: "boolean" },
  "callback-host": { type: "string" },
  "callback-path": { type: "string" },
  allow: { type: "string", multiple: true },
  register: { type: "boolean" },
  config: { type: "string" },
  uri: { type: "string", multiple: true },
  transport: { type: "string" },
  schema: { type: "string" },
  "no-tests": { type: "boolean" },
  docker: { type: "boolean" },
  template: { type: "string" },
  ci: { type: "boolean" },
  output: { type: "string", short: "o" },
  quiet: { type: "boolean", short: "q" },
  check: { type: "boolean" },
  profile: { type: "string", multiple: true },
  budget: { type: "string", multiple: true },
  off: { type: "string", multiple: true },
  update: { type: "boolean" },
  fix: { type: "boolean" },
  explain: { type: "boolean" },
  lock: { type: "string" },
  locked: { type: "boolean" },
  sarif: { type: "string" },
  undo: { type: "boolean" },
  native: { type: "boolean" },
  strict: { type: "boolean" },
  host: { type: "string", multiple: true },
  name: { type: "string" },
  description: { type: "string" },
  author: { type: "string" },
  print: { type: "boolean" },
  yes: { type: "boolean" },
  "no-check": { type: "boolean" },
  include: { type: "string", multiple: true },
  "base-url": { type: "string" },
  auth: { type: "string", multiple: true },
  write: { type: "string" },
  "no-open": { type: "boolean" },
  agent: { type: "string" },
  runs: { type: "string" },
  concurrency: { type: "string" },
  record: { type: "string" },
  replay: { type: "string" },
  compare: { type: "boolean" },
  serve: { type: "string" },
  faults: { type: "string" },
  seed: { type: "string" },
  "ui-port": { type: "string" },
  remote: { type: "string" },
  model: { type: "string" },
  search: { type: "boolean" },
  pin: { type: "string", multiple: true },
  audit: { type: "string" },
  pins: { type: "string" },
  metrics: { type: "string" },
  mcp: { type: "boolean" },
  prefix: { type: "string" },
  days: { type: "string" },
  provider: { type: "string" },
  only: { type: "string", multiple: true },
  deny: { type: "string", multiple: true },
  help: { type: "boolean", short: "h" },
} as const;

export type OptionName = keyof typeof OPTIONS;
export type OptionValues = ReturnType<typeof parseOptions<{ options: typeof OPTIONS }>>["values"];

export type OptionHelp = readonly [form: string, about: string];

/** The options of every command that connects to a server. */
export const CLIENT_OPTIONS: readonly OptionName[] = [
  "config",
  "env",
  "header",
  "timeout",
  "start-timeout",
  "revision",
  "quiet",
  "json",
  "yes",
];

/** One call of the command. */
export interface Invocation {
  readonly positionals: readonly string[];
  /** The words after `--`; undefined without `--`. */
  readonly words: readonly string[] | undefined;
  readonly values: OptionValues;
  readonly shell: Shell;
  readonly terminal: Terminal;
  /** Aborts at Ctrl-C. Its reason is the error to end with. */
  readonly signal: AbortSignal;
}

export interface Outcome {
  /** The output of `--json`: the data as the server sent it. */
  readonly json: unknown;
  /** The output for users. */
  text(paint: Paint, width: number): string;
  /** Whether the tool failed. Default false. */
  readonly failed?: boolean;
  /** Whether the command found faults, which sets the exit code. Default false. */
  readonly foundFaults?: boolean;
}

export interface Command {
  readonly summary: string;
  /** The words after `tenon`, one line for each form. */
  readonly usage: readonly string[];
  readonly options: readonly OptionName[];
  /** Help of options that have another meaning in this command. */
  readonly optionHelp?: Partial<Record<OptionName, OptionHelp>>;
  /** A last line of its help. */
  readonly about?: string;
  readonly examples: readonly string[];
  /** Runs the command. Resolves with undefined if there is nothing to show. */
  run(invocation: Invocation): Promise<Outcome | undefined>;
}

/** @throws UsageError if an option is unknown to the command or lacks its value */
export function parseInvocation(command: Command, argv: readonly string[]): Pick<Invocation, "positionals" | "words" | "values"> {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  const words = end === -1 ? undefined : argv.slice(end + 1);
  const { values, positionals } = parse(command, before);
  for (const name of Object.keys(values) as OptionName[]) {
    if (name !== "help" && !command.options.includes(name)) throw new UsageError(`This command takes no --${name}.`);
  }
  return { positionals, words, values };
}

function parse({ usage }: Command, args: readonly string[]): { values: OptionValues; positionals: string[] } {
  try {
    return parseOptions({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (cause) {
    const takesServer = usage.some((form) => form.includes("-- <"));
    throw new UsageError(explainOptionMistake(cause as Error, args, { known: Object.keys(OPTIONS), takesServer }), { cause }); // parseArgs throws only TypeErrors
  }
}

/** Milliseconds; undefined for the default. @throws UsageError */
export function timeoutOf(values: OptionValues): number | undefined {
  return millisecondsOf(values, "timeout");
}

function millisecondsOf(values: OptionValues, name: "timeout" | "start-timeout"): number | undefined {
  const typed = values[name];
  if (typed === undefined) return undefined;
  const ms = Number(typed);
  if (!Number.isSafeInteger(ms) || ms < 1 || ms > 2 ** 30)
    throw new UsageError(`--${name} must be a whole number of milliseconds from 1, not ${JSON.stringify(typed)}.`);
  return ms;
}

export interface ProgramTimes {
  /** Milliseconds for each response. */
  readonly timeout: number;
  /** Milliseconds until the program has written something. */
  readonly start: number;
  /** Milliseconds for starting and connecting. */
  readonly total: number;
}

/** A typed `--timeout` bounds the start as well, unless `--start-timeout` is typed, too. @throws UsageError */
export function programTimesOf(values: OptionValues): ProgramTimes {
  const typed = timeoutOf(values);
  const timeout = typed ?? DEFAULT_TIMEOUT;
  const start = millisecondsOf(values, "start-timeout");
  if (start === undefined && typed !== undefined) return { timeout, start: timeout / 2, total: timeout };
  return { timeout, start: start ?? DEFAULT_START_TIMEOUT, total: (start ?? DEFAULT_START_TIMEOUT) + timeout };
}

/** The typed revision; undefined for any. @throws UsageError */
export function revisionOf({ revision }: OptionValues): ProtocolVersion | undefined {
  if (revision === undefined || isSupportedVersion(revision)) return revision;
  throw new UsageError(`Unknown revision ${JSON.stringify(revision)}: it must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}.`);
}

/** Parses `NAME=value`, or `NAME` to pass on its own value. @throws UsageError */
export function environmentOf({ env = [] }: OptionValues, own: Environment): Record<string, string> {
  return Object.fromEntries(
    env.map((pair) => {
      const at = pair.indexOf("=");
      const name = at === -1 ? pair : pair.slice(0, at);
      const value = at === -1 ? own[name] : pair.slice(at + 1);
      if (name === "" || value === undefined)
        throw new UsageError(`--env ${pair} has no value: write --env NAME=value, or set ${name || "NAME"} first.`);
      return [name, value];
    }),
  );
}

/** Parses `Name: value` or `Name=value`: headers of every request to a URL. @throws UsageError */
export function headersOf({ header = [] }: OptionValues): Record<string, string> {
  return Object.fromEntries(
    header.map((line) => {
      const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*[:=]\s*(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new UsageError(`--header ${JSON.stringify(line)} is not a header: write --header "Name: value".`);
      if (/^(?:bearer|basic|token)\s*$/i.test(value))
        throw new UsageError(`--header "${name}: ${value.trim()}" has nothing after the scheme: is the variable of your shell set?`);
      return [name, value];
    }),
  );
}

/** @throws UsageError */
export function portOf(values: OptionValues, name: "port" | "ui-port" | "metrics" = "port"): number | undefined {
  const port = values[name];
  if (port === undefined) return undefined;
  const number = Number(port);
  if (!Number.isSafeInteger(number) || number < 0 || number > 65_535)
    throw new UsageError(`--${name} must be a number from 0 to 65535, not ${JSON.stringify(port)}.`);
  return number;
}
