/** Bugs that a world must find: those that were found in the SDK, put back, and others of the same kinds. */
import type { Mutant } from "../../packages/tenon/test/support/bundle.ts";

const REPLAY = "session/asking/rounds/replay-question-channel.ts";
const STREAM = "server/http/sessions/followed-stream.ts";
const RUNS = "extensions/tasks/run/task-runs.ts";
const CALL = "client/http/call.ts";
const SESSION = "client/http/session/session.ts";

/** A bug that a world must find. */
interface KnownBug extends Mutant {
  /** The first seed to try. Default 1; otherwise the one that found it last, so that the search stays short. */
  readonly firstSeed?: number;
}

/** Each was in the SDK once. */
const FOUND: readonly KnownBug[] = [
  {
    name: "claims are evicted when the store is full",
    file: "base/bounds/expiring-table.ts",
    find: "throw this.#full();",
    replace: "for (const oldest of this.#entries.keys()) { this.#drop(oldest); break; }",
    firstSeed: 560,
  },
  {
    name: "a step runs without a claim of its round",
    file: REPLAY,
    find: "      await this.claim();\n      const { report, call }",
    replace: "      const { report, call }",
  },
  {
    name: "a step runs while the client has the questions",
    file: REPLAY,
    find: "if (this.#away) await",
    replace: "if (false) await",
  },
  {
    name: "a task that ends its process runs for ever",
    file: RUNS,
    find: "if (restart && tries < maxRuns)",
    replace: "if (restart)",
    firstSeed: 13,
  },
  {
    name: "abandoned tasks are not looked for before clients ask for tasks",
    file: "extensions/tasks/store/task-table.ts",
    find: "if (this.#isShared) this.begin();",
    replace: "",
  },
  {
    name: "the standing stream is never opened if the end of the handshake was not answered",
    file: "client/http/post.ts",
    find: "if (isInitialized(message)) session.standByLater();",
    replace: "",
    firstSeed: 33,
  },
  {
    name: "a new session does not watch again what it could not watch at once",
    file: SESSION,
    find: "if (this.#incomplete && this.renewing === undefined) {",
    replace: "if (false) {",
    firstSeed: 418,
  },
  {
    name: "the standing stream of a client that only watches is not opened again",
    file: SESSION,
    find: "this.#gaveUp = true;\n    this.#repairLater();",
    replace: "this.#gaveUp = true;",
    firstSeed: 583,
  },
];

/** None was in the SDK: they show that each rule is checked. */
const MADE_UP: readonly KnownBug[] = [
  {
    name: "once does not claim",
    file: "session/asking/rounds/round-engine.ts",
    find: "if (record.o === true &&",
    replace: "if (false &&",
  },
  {
    name: "each run of a task makes its own keys",
    file: "extensions/tasks/run/task-run.ts",
    find: "return this.#record.journal.call ?? this.id;",
    replace: "return String(this.#record.run);",
    firstSeed: 13,
  },
  {
    name: "a finished step of a task is forgotten",
    file: "extensions/tasks/run/task-run.ts",
    find: "steps: [...steps, entry]",
    replace: "steps: []",
    firstSeed: 14,
  },
  {
    name: "leases are not renewed",
    file: RUNS,
    find: "for (const run of [...this.#runs.values()]) {\n      const ours",
    replace: "for (const run of [] as TaskRun[]) {\n      const ours",
    firstSeed: 88,
  },
  {
    name: "abandoned tasks are not taken over",
    file: RUNS,
    find: "await this.#takeOver(id);",
    replace: "void id;",
    firstSeed: 13,
  },
  {
    name: "a resumed stream repeats its last event",
    file: STREAM,
    find: "this.#at = options.position.number;",
    replace: "this.#at = Math.max(0, options.position.number - 1);",
  },
  {
    name: "a resumed stream leaves out an event",
    file: STREAM,
    find: "const read = jsonIn(data) !== undefined ?",
    replace: "const read = number === this.#options.position.number + 1 ? undefined : jsonIn(data) !== undefined ?",
    firstSeed: 37,
  },
  {
    name: "the rest of a stream that has ended is not replayed",
    file: STREAM,
    find: "await this.#send(page);",
    replace: "await this.#send(page.ended && page.events.length > 1 ? { ...page, events: page.events.slice(1) } : page);",
    firstSeed: 37,
  },
  {
    name: "the client does not say where its stream stands",
    file: "client/http/stream.ts",
    find: "if (id !== undefined) this.lastEventId = id",
    replace: "if (this.lastEventId === undefined && id !== undefined) this.lastEventId = id",
    firstSeed: 61,
  },
  {
    name: "a call whose answer broke off waits for ever",
    file: CALL,
    find: "if (!this.#settled) this.#connection.failCall(",
    replace: "if (!this.#settled && this.#sessionId === undefined && !this.stateless) this.#connection.failCall(",
  },
  {
    name: "a lost session is not opened again",
    file: SESSION,
    find: "this.renewing ??= this.#renew(id)",
    replace: "this.renewing ??= Promise.resolve()",
  },
  {
    name: "a handshake of a new session that was lost is not repeated for a client that only watches",
    file: SESSION,
    find: "if (isLost(error)) this.#later(this.#renewals, () => void this.lost(id, error));",
    replace: "",
    firstSeed: 323,
  },
  {
    name: "resources are not watched again in a new session",
    file: "client/session-memory.ts",
    find: "for (const { method, params } of this.#made.values()) {\n      await",
    replace: "for (const { method, params } of [] as { method: string; params: JsonObject }[]) {\n      await",
  },
  {
    name: "a watch that begins again does not tell what it may have missed",
    file: "client/listen/stateless.ts",
    find: "else if (!complete) announceGap(host.inbox, filter, requestId);",
    replace: "else void announceGap;",
    firstSeed: 35,
  },
  {
    name: "a watch that is cut ends silently",
    file: "client/listen/stateless.ts",
    find: "if (wait === undefined) throw failure;",
    replace: "if (wait === undefined || failure) return new Promise(() => undefined);",
  },
  {
    name: "a group does not come back to a server",
    file: "group/servers/retry.ts",
    find: "if (wait !== undefined) return { wait, broken: false };",
    replace: "if (wait !== undefined) return { wait: 2_000_000, broken: false };",
    firstSeed: 35,
  },
  {
    name: "streams that have ended are kept alive",
    file: "server/http/exchange/heartbeat.ts",
    find: "this.#targets.delete(target);",
    replace: "",
  },
  {
    name: "a run of a task leaves its timer",
    file: "extensions/tasks/run/task-run.ts",
    find: "this.#table.clock.clearTimer(this.#expiry);",
    replace: "",
  },
];

export const KNOWN_BUGS: readonly KnownBug[] = [...FOUND, ...MADE_UP];
