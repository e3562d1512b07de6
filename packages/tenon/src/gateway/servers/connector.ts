/**
 * Opens the connections to one server, each as the client of one lane: with its credentials, within a time, and not again and again.
 *
 * A failure concerns the owner of the lane, and the server is there for others: it may refuse one user, or answer too many requests of one.
 * Only a server that did not answer at all is down for all. Each failure but a refusal is followed by a pause (`upstream/pace.ts`).
 */
import { LinkedAbort } from "../../base/abort.ts";
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { OutgoingRequest } from "../../client/call/outgoing-request.ts";
import type { ConnectOptions } from "../../client/options.ts";
import { sourceOf, type ServerSource } from "../../upstream/entry.ts";
import type { ServerOptions } from "../../upstream/options.ts";
import { ConnectionClosedError, ConnectionLostError, type McpError } from "../../jsonrpc/mcp-error.ts";
import type { Middleware } from "../../session/handler.ts";
import { answersOf } from "../asking/lane-answers.ts";
import type { CallerAuth, LiveOwner } from "../credentials/caller-auth.ts";
import type { SplitEntry, UnusedOption } from "../credentials/entry.ts";
import { refusalOf } from "../credentials/refusal.ts";
import { loginNeededIn } from "../login/login-needed.ts";
import type { Settings } from "../settings.ts";
import { ConnectPace } from "../../upstream/pace.ts";
import type { Lane } from "./lane.ts";
import { unavailableError } from "./unavailable.ts";

const NO_MIDDLEWARE: readonly Middleware<OutgoingRequest>[] = [];
/** Milliseconds to connect; a user who has to log in gets more. */
const CONNECT_TIMEOUT = 30_000;
const LOGIN_TIMEOUT = 300_000;

/** The server that the connections are for. */
interface ConnectorHost {
  readonly name: string;
  readonly clock: Clock;
  report(error: unknown): void;
  /** Called with each connection before a lane gets it. @throws if it cannot be used */
  accept(client: Client, lane: Lane): Promise<void>;
}

export class Connector {
  readonly #host: ConnectorHost;
  readonly #settings: Settings;
  readonly #source: ServerSource;
  /** Credentials that differ by caller; undefined if all callers have the same. */
  readonly #callerAuth: CallerAuth | undefined;
  readonly #pace: ConnectPace;
  readonly #logins: LoginPauses;

  /** @throws TypeError if the entry is not one of a server */
  constructor(host: ConnectorHost, settings: Settings, { entry, callerAuth }: SplitEntry) {
    this.#host = host;
    this.#settings = settings;
    this.#source = sourceOf(entry, host.name);
    this.#callerAuth = callerAuth;
    this.#pace = new ConnectPace(host.clock);
    this.#logins = new LoginPauses(host.clock);
  }

  get middleware(): readonly Middleware<OutgoingRequest>[] {
    return this.#source.options.middleware ?? NO_MIDDLEWARE;
  }

  /** Opens a connection. @throws McpError -32603 with the server and the reason; `signal.reason` if the lane closes */
  async connect(lane: Lane, signal: AbortSignal): Promise<Client> {
    this.#logins.assertNone(lane.owner);
    const keys = this.#paceKeys(lane);
    if (keys.some((key) => this.#pace.pauseOf(key) !== undefined)) throw this.#downError(keys);
    try {
      const client = await this.#connectInTime(lane, signal);
      for (const key of keys) this.#pace.succeeded(key);
      await this.#host.accept(client, lane);
      return client;
    } catch (error) {
      signal.throwIfAborted(); // an attempt that was given up says nothing about the server
      const refusal = this.#callerAuth && refusalOf(error, this.#host.name);
      if (refusal !== undefined) {
        if (loginNeededIn(error) === undefined) this.#host.report(error);
        else this.#logins.begin(lane.owner, refusal);
        throw refusal;
      }
      const key = isUnanswered(error) ? keys.at(-1)! : lane.use.pace;
      this.#pace.failed(key, error instanceof Error ? error : new Error(String(error)));
      this.#host.report(error);
      throw this.#downError(keys);
    }
  }

  /**
   * Whose failures keep a lane from connecting: its owner's; and, if all callers have the same credentials, any failure of a client with the
   * same abilities that the server did not answer at all.
   */
  #paceKeys({ use: { pace }, profile }: Lane): readonly string[] {
    return this.#callerAuth === undefined ? [pace, `all ${profile.key}`] : [pace];
  }

  /** The login of a principal has changed: its next connection is not refused for what was before. */
  loginChanged(principal: string): void {
    this.#logins.end(principal);
  }

  async #connectInTime(lane: Lane, signal: AbortSignal): Promise<Client> {
    const { clock } = this.#host;
    const { options, mayLogIn, startTimeout } = this.#source;
    const ms = (options.connectTimeout ?? CONNECT_TIMEOUT) + startTimeout + (mayLogIn ? LOGIN_TIMEOUT : 0);
    const late = new LinkedAbort(signal);
    const timer = clock.setTimer(ms, () => late.abort(new Error(`it did not connect within ${ms} ms (option "connectTimeout")`)));
    try {
      // Every session that a source of an entry opens is a client.
      return (await this.#source.open({ ...this.#connectOptions(lane), signal: late.signal })) as Client;
    } finally {
      clock.clearTimer(timer);
      late.unlink();
    }
  }

  #connectOptions(lane: Lane): ConnectOptions {
    // A callback of an entry is refused (`gateway/credentials/entry.ts`): the profile declares what the gateway's clients answer.
    const { connectTimeout: _, middleware = [], onDeviation: own, ...options } = this.#source.options as Omit<ServerOptions, UnusedOption>;
    const { name } = this.#host;
    const { strict, onDeviation: common } = this.#settings;
    const onDeviation = own ?? (common && ((deviation) => common(deviation, { server: name })));
    return {
      ...options,
      strict: options.strict ?? strict,
      ...lane.profile.connectOptions,
      ...(lane.owner && { auth: this.#callerAuth!.providerFor(lane.owner, this.#settings.loginStore) }), // a lane has an owner if credentials differ
      clientInfo: options.clientInfo ?? this.#settings.info,
      middleware: [...middleware, answersOf(lane)],
      clock: this.#host.clock,
      ...(onDeviation && { onDeviation: (deviation) => onDeviation(deviation, name) }),
      onError: (error) => this.#host.report(error),
    };
  }

  #downError(keys: readonly string[]): McpError {
    const { name, clock } = this.#host;
    const [pause] = keys.flatMap((key) => this.#pace.pauseOf(key) ?? []).toSorted((one, other) => other.until - one.until);
    const later = pause && { retryAfterMs: Math.ceil(pause.until - clock.now()), cause: pause.error };
    return unavailableError(name, "down", "it cannot be reached", later);
  }
}

/** Whether the server has not answered: nothing was sent to it, its program has ended, or could not be started. */
function isUnanswered(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return error.outcome === "not-sent";
  return error instanceof ConnectionClosedError || (error instanceof Error && "code" in error && typeof error.code === "string");
}

/** Milliseconds after which the server is asked again for a user. */
const LOGIN_PAUSE = 10_000;
/** Most users that are remembered. */
const MAX_WAITING = 1_000;

/** The users who have to log in first, so that the server is not asked again for each of their lists. */
class LoginPauses {
  readonly #clock: Clock;
  readonly #waiting = new BoundedMap<string, { readonly error: McpError; readonly until: number }>(MAX_WAITING);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws the error of the last attempt for that user, if it was made a moment ago */
  assertNone(owner: LiveOwner | undefined): void {
    const waiting = owner && this.#waiting.get(owner.principal);
    if (waiting !== undefined && waiting.until > this.#clock.now()) throw waiting.error;
  }

  /** Remembers that a user has to log in. */
  begin(owner: LiveOwner | undefined, error: McpError): void {
    if (owner === undefined) return;
    this.#waiting.set(owner.principal, { error, until: this.#clock.now() + LOGIN_PAUSE });
  }

  /** The login of a user has changed: the server is asked again at once. */
  end(principal: string): void {
    this.#waiting.delete(principal);
  }
}
