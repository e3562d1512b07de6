/** What a command says of a server that is inspected. */
import type { ConnectOptions } from "tenon/client";
import type { ConnectionFailure } from "../entries.ts";
import type { Inspectable } from "./open-target.ts";

export interface ProgramStart {
  readonly command: string;
  readonly args?: readonly string[];
}

export interface InspectorTarget {
  /** Its name for people. */
  readonly name: string;
  /** How it is typed for other commands, such as `server.ts`. */
  readonly typed: string;
  /** The server itself: a URL, a program, or a server in this process. */
  readonly server: Inspectable;
  /** Options of its connections: `revision`, `timeout`, `auth`. Default: the defaults of `connect`. */
  readonly options?: Pick<ConnectOptions, "revision" | "timeout" | "probeTimeout" | "auth">;
  /** Milliseconds until a connection is open. Default: the limits of `connect`. */
  readonly connectTimeout?: number;
  /** The file that exports the server, for exported tests. Default: tests connect to the target. */
  readonly module?: { readonly path: string; readonly name: string };
  /** How exported tests start a program, on any machine, if it is no module. Default: by the command and arguments of `server`. */
  readonly start?: ProgramStart;
  /** What is wrong with a server that cannot be connected to, if more can be said than by its error. Default: nothing more. */
  readonly diagnose?: (error: unknown, signal: AbortSignal) => Promise<ConnectionFailure | undefined>;
  /** Checks the way to the server, step by step. Default: there is no such check. */
  readonly doctor?: (signal: AbortSignal) => Promise<unknown>;
  /** Logs in and out. Default: there is no login. */
  readonly account?: Account;
}

/** How a server is logged in to. Each function resolves with what has happened, for people. */
export interface Account {
  /** @param open receives the page that the user must visit */
  login(open: (page: URL) => Promise<void>, signal: AbortSignal): Promise<string>;
  logout(signal: AbortSignal): Promise<string>;
}
