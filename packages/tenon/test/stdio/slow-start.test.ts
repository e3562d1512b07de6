/** Programs that take long to start. They stay silent until the test sends a signal, and the time is the test's. */
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon";
import { ClientSessionGroup } from "tenon/group";
import { VirtualClock } from "../support/virtual-clock.ts";
import { deferred } from "../support/gate.ts";

const PROGRAM = fileURLToPath(new URL("fixtures/slow-program.mjs", import.meta.url));
type Kind = "both" | "silent" | "talks";

const STARTED = 'within 60000 ms (option "timeouts.start")';
const PROBED = 'within 5000 ms (option "probeTimeout")';

/** A program, and the pid that it writes to stderr as soon as it runs. */
function slowProgram(kind: Kind, more: object = {}) {
  const { promise: pid, resolve: running } = deferred<number>();
  const stderr = { write: (chunk: Uint8Array) => running(Number(/pid (\d+)/.exec(Buffer.from(chunk).toString())?.[1])) };
  const target = { command: process.execPath, args: [PROGRAM, kind], stderr, ...more };
  const begin = async (): Promise<void> => void process.kill(await pid, "SIGUSR2");
  return { target, pid, begin };
}

/** Connects on a clock that the test moves; `told` is what `onError` was told. */
function connecting(kind: Kind, more: object = {}, options: ConnectOptions = {}) {
  const clock = new VirtualClock();
  const told: string[] = [];
  const { target, pid, begin } = slowProgram(kind, more);
  const client = connect(target, { clock, onError: ({ message }) => void told.push(message), ...options });
  client.catch(() => undefined);
  onTestFinished(async () => (await client.catch(() => undefined))?.close());
  return { clock, told, client, pid, begin };
}

const revisionOf = async (client: Promise<Client>): Promise<string> => (await client).protocolVersion;

describe.each([false, true])("A program that writes nothing yet (restart: %s)", (restart) => {
  it("is still starting: it is asked for the newest revision, however long the probe has waited", async () => {
    const { clock, told, client, pid, begin } = connecting("both", { restart });
    await pid;
    await clock.advance(59_999);
    await begin();
    expect(await revisionOf(client)).toBe("2026-07-28");
    expect(told).toEqual([]);
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });

  it("counts as started after timeouts.start, and gets the handshake after probeTimeout; both are reported", async () => {
    const { clock, told, client, pid, begin } = connecting("silent", { restart });
    await pid;
    await clock.advance(60_000);
    expect(told).toEqual([expect.stringContaining(STARTED)]);
    await clock.advance(4_999);
    expect(told).toHaveLength(1);
    await clock.advance(1);
    expect(told).toEqual([expect.stringContaining(STARTED), expect.stringContaining(PROBED)]);
    await begin();
    expect(await revisionOf(client)).toBe("2025-11-25");
  });
});

describe("The time to start", () => {
  it("is the option timeouts.start, and ends with the first output; then the probe has its own time", async () => {
    const short = connecting("both", { timeouts: { start: 100 } });
    await short.pid;
    await short.clock.advance(100);
    expect(short.told).toEqual([expect.stringContaining('within 100 ms (option "timeouts.start")')]);
    await short.begin();
    expect(await revisionOf(short.client)).toBe("2026-07-28");

    const talking = connecting("talks");
    await expect.poll(() => talking.told).toEqual([expect.stringContaining("installing")]);
    await talking.clock.advance(5_000);
    expect(talking.told.at(-1)).toContain(PROBED);
    await talking.begin();
    expect(await revisionOf(talking.client)).toBe("2025-11-25");
  });

  it("does not count for the handshake of a revision that is asked for", async () => {
    const { clock, client, pid, begin } = connecting("both", {}, { revision: "2025-11-25", timeout: 1_000 });
    await pid;
    await clock.advance(30_000);
    await begin();
    expect(await revisionOf(client)).toBe("2025-11-25");
  });

  it("ends when the caller abandons connecting, and leaves no timer", async () => {
    const abort = new AbortController();
    const { clock, client, pid } = connecting("both", {}, { signal: abort.signal });
    await pid;
    abort.abort(new Error("enough"));
    await expect(client).rejects.toThrow("enough");
    expect(clock.pending).toBe(0);
  });

  it("must be a duration", async () => {
    await expect(connecting("both", { timeouts: { start: -1 } }).client).rejects.toThrow(RangeError);
  });

  it("is added to the time that a group gives a program to connect", async () => {
    const clock = new VirtualClock();
    const { target, pid, begin } = slowProgram("both");
    const group = new ClientSessionGroup({ clock, connectTimeout: 1_000, readyTimeout: 0 });
    onTestFinished(() => group.close());
    const added = group.add({ slow: target });
    await pid;
    await clock.advance(59_000);
    await begin();
    await added;
    await expect.poll(() => group.servers.get("slow")?.state).toBe("connected");
    expect(group.servers.get("slow")?.session?.protocolVersion).toBe("2026-07-28");
  });
});
