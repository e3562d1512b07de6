/**
 * Runs `tenon` in the process of the test, from the source: what it prints and its exit code, as a shell would see them.
 *
 * What only a process shows is tested in `process.test.ts`, and with `startCommand()` of `start-command.ts`.
 */
import { homedir } from "node:os";
import { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { main } from "../../src/command-line.ts";
import { MAIN, type Ended, type RunOptions } from "./start-command.ts";

/** Runs a command to its end. Nothing of this process changes, so that several can run at once. */
export async function runCommand(args: readonly string[], options?: RunOptions): Promise<Ended> {
  const { bytes: _, ...ended } = await runForBytes(args, options);
  return ended;
}

/** Runs a command to its end, and returns the bytes of its stdout too. */
export async function runForBytes(
  args: readonly string[],
  { env = {}, cwd = process.cwd(), input = "", ...options }: RunOptions = {},
): Promise<Ended & { readonly bytes: Uint8Array }> {
  const signals = new Signals();
  const stdout = new Captured((text) => options.onStdout?.(text, signals.send));
  const stderr = new Captured((text) => options.onStderr?.(text, signals.send));
  const code = await main(args, {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    home: env["HOME"] ?? homedir(),
    script: MAIN,
    stdin: Readable.from([Buffer.from(input)]),
    stdout,
    stderr,
    onSignal: signals.on,
    exit: (code) => {
      throw new Error(`The command ended itself with ${code}: start it as a process`);
    },
  });
  return { code, stdout: stdout.text, stderr: stderr.text, bytes: Buffer.concat(stdout.chunks) };
}

/** A stream that keeps its text. */
class Captured extends Writable {
  text = "";
  readonly chunks: Buffer[] = [];
  readonly #decoder = new StringDecoder("utf8");
  readonly #onText: (text: string) => void;

  constructor(onText: (text: string) => void) {
    super();
    this.#onText = onText;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    this.text += this.#decoder.write(chunk);
    this.#onText(this.text);
    done();
  }
}

/** The signals of one command. */
class Signals {
  readonly #listeners = new Map<NodeJS.Signals, Set<() => void>>();

  readonly on = (name: NodeJS.Signals, listener: () => void): (() => void) => {
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(listener));
    return () => all.delete(listener);
  };

  /** @throws Error if the command listens to none of that name: it would end a process */
  readonly send = (name: NodeJS.Signals): void => {
    const listeners = this.#listeners.get(name);
    if (listeners === undefined || listeners.size === 0) throw new Error(`The command does not listen to ${name}`);
    for (const listener of listeners) listener();
  };
}
