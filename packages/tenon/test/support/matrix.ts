/**
 * Runs one body of tests over transports and revisions: what a user can see must not depend on either.
 *
 * Bodies that define their own server run in this process (`direct`, `memory`); bodies about the fixture server run
 * against a child process too. Everything that is opened here is closed when its test has finished.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, onTestFinished } from "vitest";
import {
  acceptorOf,
  connect,
  createMemoryPair,
  JsonRpcDispatcher,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Servable,
  type Client,
  type ConnectOptions,
  type JsonRpcDispatcherOptions,
  type ProtocolVersion,
  type Target,
} from "tenon";
import { createFetchHandler, type FetchHandler } from "tenon/server";
import { serveHttp } from "tenon/node";
import type { Fetch } from "tenon/client";
import { createFixtureServer } from "./fixture-server.mjs";

export type InProcess = "direct" | "memory" | "fetch" | "socket";
export type TransportName = InProcess | "stdio";

/** What every cell of the matrix knows of itself. */
interface Cell {
  readonly transport: TransportName;
  readonly revision: ProtocolVersion;
  readonly stateless: boolean;
  /** True from that revision on. */
  readonly since: (revision: ProtocolVersion) => boolean;
}

export interface MatrixCell extends Cell {
  readonly transport: InProcess;
  /** A client of `server`. `serving` are options of the server's end, which `direct` does not have. */
  readonly connect: (server: Servable, options?: ConnectOptions, serving?: JsonRpcDispatcherOptions) => Promise<Client>;
}

export interface FixtureCell extends Cell {
  /** A client of the fixture server. Without options tests may share one, so that not each of them starts a process. */
  readonly connect: (options?: ConnectOptions) => Promise<Client>;
}

const TRANSPORTS: readonly InProcess[] = ["direct", "memory", "fetch", "socket"];
/** Oldest first. */
export const REVISIONS: readonly ProtocolVersion[] = [...SUPPORTED_PROTOCOL_VERSIONS].reverse();

/** The same tests for every way to connect without another process, sockets included, and every revision. */
export function describeMatrix(
  title: string,
  body: (cell: MatrixCell) => void,
  revisions: readonly ProtocolVersion[] = REVISIONS,
): void {
  describeOver(TRANSPORTS, title, body, revisions);
}

/**
 * The same, where it matters that no message takes longer than a turn: on virtual time, or when
 * nothing must arrive; or where a server has no endpoint.
 */
export function describeInProcess(
  title: string,
  body: (cell: MatrixCell) => void,
  revisions: readonly ProtocolVersion[] = REVISIONS,
): void {
  describeOver(["direct", "memory"], title, body, revisions);
}

/** The same over transports whose server's end is served by options of its own: all but the direct one. */
export function describeServed(
  title: string,
  body: (cell: MatrixCell) => void,
  revisions: readonly ProtocolVersion[] = REVISIONS,
): void {
  describeOver(["memory", "fetch", "socket"], title, body, revisions);
}

/** The same over HTTP only, with and without sockets. */
export function describeOverHttp(
  title: string,
  body: (cell: MatrixCell) => void,
  revisions: readonly ProtocolVersion[] = REVISIONS,
): void {
  describeOver(["fetch", "socket"], title, body, revisions);
}

function describeOver(
  transports: readonly InProcess[],
  title: string,
  body: (cell: MatrixCell) => void,
  revisions: readonly ProtocolVersion[],
): void {
  describe.each(transports)(`${title}, %s`, (transport) => {
    describe.each(revisions)("%s", (revision) => {
      body({
        ...factsOf(revision),
        transport,
        connect: (server, options, serving) => closing(open(transport, server, { revision, ...options }, serving)),
      });
    });
  });
}

/** The same tests of the fixture server, over a child process too. */
export function describeFixture(title: string, body: (cell: FixtureCell) => void): void {
  describe.each<TransportName>([...TRANSPORTS, "stdio"])(`${title}, %s`, (transport) => {
    describe.each(REVISIONS)("%s", (revision) => {
      let shared: Promise<Client> | undefined;
      const connectTo = (options?: ConnectOptions): Promise<Client> => {
        if (options !== undefined || transport !== "stdio") return closing(openFixture(transport, { revision, ...options }));
        return (shared ??= openFixture(transport, { revision }));
      };
      afterAll(async () => (await shared)?.close());
      body({ ...factsOf(revision), transport, connect: connectTo });
    });
  });
}

function factsOf(revision: ProtocolVersion): Omit<Cell, "transport"> {
  return { revision, stateless: revision >= "2026-07-28", since: (other) => revision >= other };
}

/** A client of a server in this process, for tests that are about one revision or about none. */
export async function open(
  transport: InProcess,
  server: Servable,
  options?: ConnectOptions,
  serving?: JsonRpcDispatcherOptions,
): Promise<Client> {
  return connect(await targetOf(transport, server, serving), options);
}

/** Where a server in this process can be connected to. */
export async function targetOf(transport: InProcess, server: Servable, serving?: JsonRpcDispatcherOptions): Promise<Target> {
  if (transport === "direct") return server;
  if (transport === "fetch") return { url: "http://localhost/mcp", fetch: inProcess(createFetchHandler(server, serving)) };
  if (transport === "socket") {
    const endpoint = await serveHttp(server, { ...serving, port: 0 });
    onTestFinished(() => endpoint.close());
    return endpoint.url;
  }
  const [near, far] = createMemoryPair();
  const dispatcher = new JsonRpcDispatcher(far, serving);
  acceptorOf(server)
    .accept(dispatcher)
    .catch((error: unknown) => dispatcher.close(error));
  return near;
}

/** `fetch` without a network: what a handler answers, until the caller gives up. */
function inProcess(handler: FetchHandler): Fetch {
  return async (url, init) => {
    const { signal } = init;
    const gaveUp = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
    gaveUp.catch(() => undefined);
    const response = await Promise.race([handler(new Request(url, init)), gaveUp]);
    const body = response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), signal ? { signal } : {});
    return new Response(body ?? null, response);
  };
}

function openFixture(transport: TransportName, options: ConnectOptions): Promise<Client> {
  if (transport !== "stdio") return open(transport, createFixtureServer(), options);
  const built = new URL("../../dist/node/index.js", import.meta.url);
  if (!existsSync(built)) throw new Error("There is no dist/: run `npm run build` first");
  return connect({ command: process.execPath, args: [fileURLToPath(new URL("stdio-fixture.mjs", import.meta.url))] }, options);
}

/** Closes the client when the test has finished, whatever came of it. */
export async function closing(opened: Promise<Client>): Promise<Client> {
  const client = await opened;
  onTestFinished(() => client.close());
  return client;
}
