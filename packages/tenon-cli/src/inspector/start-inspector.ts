/** `startInspector()`: serves the page of `tenon inspect`, and connects to the servers it shows. */
import { type Implementation, SUPPORTED_PROTOCOL_VERSIONS } from "tenon";
import type { NoteEntry, TargetEntry } from "./entries.ts";
import { operationsOf } from "./operations.ts";
import { Journal } from "./server/journal.ts";
import { PageServer } from "./server/page-server.ts";
import { SandboxServer } from "./server/sandbox-server.ts";
import { Calls } from "./target/calls.ts";
import { Inspected } from "./target/inspected.ts";
import type { InspectorTarget } from "./target/inspector-target.ts";
import { Login } from "./target/login.ts";
import type { MarkTools } from "./target/server-lists.ts";
import { ModelDrafts, type InspectorModel } from "./target/model-drafts.ts";
import { Questions } from "./target/questions.ts";
import { WireLog } from "./target/wire-log.ts";

export interface InspectorOptions {
  /** The servers. The page names them by their place in this list. */
  readonly targets: readonly InspectorTarget[];
  readonly folder: string;
  /** The port of 127.0.0.1. Default 0: one that is free. */
  readonly port?: number;
  readonly clientInfo: Implementation;
  /** The model that can draft answers to sampling questions. Default: the user answers them by hand. */
  readonly model?: InspectorModel;
  /** Says what hosts or models stumble over in tools, for the page. Default: nothing. */
  readonly marksOf?: MarkTools;
  /** Whether servers are connected only when the page is opened for the first time. Default false: at once. */
  readonly waitsForPage?: boolean;
}

export interface Inspector {
  readonly port: number;
  /** An address of the page with a new ticket, which works once and for ten minutes. */
  address(): string;
  /** Shows a line among the activities, such as a reload or an error of the build. `level` "error" makes it stand out. */
  note(text: string, options?: { readonly target?: number; readonly level?: "info" | "error"; readonly data?: unknown }): void;
  /** A log for the messages of another client of a server; undefined until the page is opened for the first time. */
  log(target?: number): WireLog | undefined;
  /** Connects to a server again if its connection has failed or ended, for example after a reload. A server that is connected stays so. */
  reconnect(target?: number): void;
  /** Closes the connections and the page. Idempotent. */
  close(): Promise<void>;
}

/** Resolves when the page is served; servers are connected meanwhile. @throws Node's error if it cannot listen on the port */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { targets, folder, port = 0, clientInfo, model, waitsForPage = false, marksOf = () => [] } = options;
  const journal = new Journal();
  const questions = new Questions(journal);
  const inspected = targets.map((target, number) => new Inspected(number, target, { journal, questions, clientInfo, marksOf }));
  const calls = new Calls(journal);
  calls.onEnd = (call) => inspected[call.target]?.recorded((recording) => recording.ended(call));
  questions.onAnswer = (question, answer) => inspected[question.target]?.recorded((recording) => recording.answered(question, answer));
  const login = new Login(journal);
  const sandbox = new SandboxServer();
  await sandbox.listen(port);
  const drafts = new ModelDrafts(model, questions);
  const run = operationsOf({ targets: inspected, journal, questions, calls, login, drafts });
  let isStarted = false;
  const begin = (): void => {
    if (isStarted) return;
    isStarted = true;
    for (const one of inspected) void one.connect();
  };
  const server = new PageServer({ folder, journal, sandbox: sandbox.origin, run, onOpen: begin });
  await server.listen(port).catch(async (error: unknown) => {
    await sandbox.close();
    throw error;
  });
  sandbox.serve(server.door.port);
  for (const one of inspected)
    journal.add({ ...describe(one, sandbox.origin), ...(model && { model: model.name }) }, `target:${one.number}`);
  if (!waitsForPage) begin();
  let closed: Promise<unknown> | undefined;
  return {
    port: server.door.port,
    address: () => server.address(),
    note(text, { target = 0, level = "info", data } = {}) {
      const entry: NoteEntry = { kind: "reload", target, text, level, ...(data !== undefined && { data }) };
      journal.add(entry);
    },
    log: (target = 0) => (isStarted ? new WireLog(journal, target) : undefined),
    reconnect(target = 0) {
      if (isStarted && inspected[target]?.isConnected === false) void inspected[target].connect();
    },
    async close() {
      login.close();
      await (closed ??= Promise.all([...inspected.map((one) => one.close()), server.close(), sandbox.close()]));
    },
  };
}

function describe({ number, target: { name, typed, server, account } }: Inspected, sandbox: string): TargetEntry {
  const revisions = SUPPORTED_PROTOCOL_VERSIONS;
  const about = { kind: "target", target: number, name, typed, sandbox, hasLogin: account !== undefined, revisions } as const;
  if ("url" in server) return { ...about, address: String(server.url), url: String(server.url) };
  if (!("command" in server)) return { ...about, address: "in this process" };
  const command = [server.command, ...(server.args ?? [])];
  return { ...about, address: command.join(" "), command };
}
