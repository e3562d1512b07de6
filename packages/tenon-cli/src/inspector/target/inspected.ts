/**
 * One server that is inspected: its connection, its lists, and what is watched.
 *
 * There is one connection at a time. Speaking another revision closes it and opens a new one.
 */
import type { Client, ConnectOptions } from "tenon/client";
import { apps } from "tenon/ext/apps";
import { tasks } from "tenon/ext/tasks";
import { isJsonObject } from "tenon/internal";
import type { Implementation, JsonObject, LoggingLevel, LoggingMessageNotificationParams, ProtocolVersion, Root } from "tenon";
import type { ConnectionFailure, NoteEntry } from "../entries.ts";
import type { Journal } from "../server/journal.ts";
import { OperationError, toFailure } from "./failure.ts";
import type { InspectorTarget } from "./inspector-target.ts";
import { LineSink } from "./line-sink.ts";
import { openTarget, type Inspectable } from "./open-target.ts";
import type { Questions } from "./questions.ts";
import { Recording, type Step } from "./recording.ts";
import { type MarkTools, ServerLists } from "./server-lists.ts";
import { Watching } from "./watching.ts";
import { WireLog } from "./wire-log.ts";

export interface InspectedParts {
  readonly journal: Journal;
  readonly questions: Questions;
  readonly clientInfo: Implementation;
  readonly marksOf: MarkTools;
}

export class Inspected {
  readonly number: number;
  readonly target: InspectorTarget;
  readonly lists: ServerLists;
  readonly watching: Watching;
  readonly #parts: InspectedParts;
  #client: Client | undefined;
  #opening: AbortController | undefined;
  #roots: readonly Root[] = [];
  #level: LoggingLevel = "info";
  #isRecording = false;
  #recording: Recording | undefined;

  constructor(number: number, target: InspectorTarget, parts: InspectedParts) {
    this.number = number;
    this.target = target;
    this.#parts = parts;
    this.lists = new ServerLists(number, parts.journal, parts.marksOf);
    this.watching = new Watching(number, parts.journal, this.lists);
    this.tellState();
  }

  /** The open connection. @throws OperationError if there is none */
  get client(): Client {
    if (this.#client !== undefined) return this.#client;
    throw new OperationError(`${this.target.name} is not connected: connect again first`);
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  get roots(): readonly Root[] {
    return this.#roots;
  }

  /** The recording that runs, or the last one. */
  get recording(): Recording | undefined {
    return this.#recording;
  }

  /** Begins a recording in place of the last one, or ends it. @throws OperationError without a connection */
  record(isOn: boolean): void {
    if (isOn) this.#recording = new Recording(this.client.protocolVersion);
    this.#isRecording = isOn;
    this.tellState();
  }

  forget(step: number): void {
    this.#recording?.remove(step);
    this.tellState();
  }

  /** Adds a call or an answer to the recording, if one runs. */
  recorded(add: (recording: Recording) => void): void {
    if (this.#recording === undefined || !this.#isRecording) return;
    add(this.#recording);
    this.tellState();
  }

  /** Opens a connection in place of the present one. What goes wrong is in the journal. @param revision default: the target's */
  async connect(revision: ProtocolVersion | "stateful" | undefined = this.target.options?.revision): Promise<void> {
    this.#opening?.abort();
    const opening = (this.#opening = new AbortController());
    await this.#client?.close();
    this.#client = undefined;
    const { journal } = this.#parts;
    const place = `connection:${this.number}`;
    journal.add({ kind: "connection", target: this.number, state: "connecting", ...(revision && { revision }) }, place);
    const log = new WireLog(journal, this.number);
    try {
      const { connectTimeout } = this.target;
      const late = connectTimeout === undefined ? [] : [AbortSignal.timeout(connectTimeout)];
      const client = await openTarget(this.#inspectable(), log, this.#options(revision, AbortSignal.any([opening.signal, ...late])));
      if (opening.signal.aborted) return await client.close();
      this.#opened(client, log);
      await this.lists.read(client);
      await this.watching.start(client);
    } catch (error) {
      if (opening.signal.aborted) return;
      const failure = await this.#explain(error, opening.signal);
      if (opening.signal.aborted) return;
      journal.add({ kind: "connection", target: this.number, state: "failed", failure }, place);
    }
  }

  /** What is wrong. The explanation never fails: then the error itself is shown. */
  async #explain(error: unknown, signal: AbortSignal): Promise<ConnectionFailure> {
    const { diagnose } = this.target;
    try {
      return (await diagnose?.(error, signal)) ?? toFailure(error);
    } catch {
      return toFailure(error);
    }
  }

  /** Opens one more connection, for one call. Its messages are on the wire like all others. The caller closes it. @throws what `connect` throws */
  async open(revision: ProtocolVersion, signal: AbortSignal): Promise<Client> {
    const log = new WireLog(this.#parts.journal, this.number);
    log.revision = revision;
    return openTarget(this.#inspectable(), log, this.#options(revision, signal));
  }

  /** Sets the roots, and tells the server. */
  async setRoots(roots: readonly Root[]): Promise<void> {
    this.#roots = roots;
    this.tellState();
    await this.#client?.sendRootsListChanged();
  }

  async setLevel(level: LoggingLevel): Promise<void> {
    await this.client.setLoggingLevel(level);
    this.#level = level;
    this.tellState();
  }

  tellState(): void {
    const { number: target, watching } = this;
    const roots = this.#roots as readonly unknown[] as readonly JsonObject[]; // roots are JSON
    const state = {
      kind: "state",
      target,
      watched: watching.uris,
      roots,
      level: this.#level,
      isRecording: this.#isRecording,
      steps: (this.#recording?.steps ?? []).map(({ op, name, failure, result, answers }) => {
        const hasFailed = failure !== undefined || result?.["isError"] === true;
        return { op, name, hasFailed, answers: answers.length };
      }),
      changing: this.#recording?.steps.filter((step) => this.#mayChange(step)).length ?? 0,
    } as const;
    this.#parts.journal.add(state, `state:${target}`);
  }

  async close(): Promise<void> {
    this.#opening?.abort();
    await this.#client?.close();
    this.#client = undefined;
  }

  /** Whether a step may change something each time it runs. Only hints of the server say that it does not. */
  #mayChange({ op, name }: Step): boolean {
    if (op !== "call") return op === "send";
    const { annotations } = this.lists.of("tools").find((tool) => tool["name"] === name) ?? {};
    return !isJsonObject(annotations) || !(annotations["readOnlyHint"] === true || annotations["idempotentHint"] === true);
  }

  #opened(client: Client, log: WireLog): void {
    const { protocolVersion, serverInfo, serverCapabilities, instructions, connection } = client;
    log.revision = protocolVersion;
    this.#client = client;
    const open = {
      kind: "connection",
      target: this.number,
      state: "open",
      revision: protocolVersion,
      stateless: connection.codec.stateless,
      ...(serverInfo && { server: { ...serverInfo } }),
      capabilities: { ...serverCapabilities },
      ...(instructions !== undefined && { instructions }),
    } as const;
    this.#parts.journal.add(open, `connection:${this.number}`);
    void client.closed.then(() => {
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#parts.journal.add({ ...open, state: "closed" }, `connection:${this.number}`);
    });
  }

  #inspectable(): Inspectable {
    const { server } = this.target;
    if (!("command" in server)) return server;
    return { ...server, stderr: new LineSink((text) => this.note({ kind: "stderr", target: this.number, text })) };
  }

  #options(revision: ConnectOptions["revision"], signal: AbortSignal): ConnectOptions {
    const { questions, clientInfo } = this.#parts;
    const { revision: _, ...own } = this.target.options ?? {};
    return {
      ...own,
      ...(revision !== undefined && { revision }),
      signal,
      clientInfo,
      extensions: [tasks(), apps()],
      logLevel: this.#level,
      cacheResponses: false,
      validateOutput: false,
      // The answers have the forms of their methods: the page makes them, and the codec checks them.
      onElicit: (params, context) => questions.ask(this.number, "elicitation/create", params, context.signal) as never,
      onSample: (params, context) => questions.ask(this.number, "sampling/createMessage", params, context.signal) as never,
      samplingCapabilities: { tools: {}, context: {} },
      roots: () => this.#roots,
      onLog: (message) => this.#log(message),
      onError: (error) => this.note({ kind: "problem", target: this.number, text: error.message }),
    };
  }

  #log({ level, logger, data }: LoggingMessageNotificationParams): void {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    this.note({ kind: "log", target: this.number, level, ...(logger !== undefined && { logger }), text, data });
  }

  note(entry: NoteEntry): void {
    this.#parts.journal.add(entry);
  }
}
