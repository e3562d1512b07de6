// A program that ends under a client that has it started again (`restart`), in processes of its own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  connect,
  ConnectionClosedError,
  ConnectionLostError,
  type Client,
  type ConnectOptions,
  type RestartOptions,
} from "tenon";
import { REVISIONS } from "../support/matrix.ts";
import { RecordingClock, VirtualClock } from "../support/virtual-clock.ts";
import { buildServed } from "./served.ts";
import { isAlive, rejection } from "./support.ts";

let program: Awaited<ReturnType<typeof buildServed>>;
beforeAll(async () => (program = await buildServed("mortal")));
afterAll(() => program.remove());

/** What a test has in hand: the client, what it was told, and the directory the program looks into. */
interface Mortal {
  readonly client: Client;
  readonly told: Error[];
  /** What the program noted. */
  readonly notes: (text: string) => number;
  /** From now on it is like that when it is started; or not any more. */
  readonly is: (state: "broken" | "other", yes: boolean) => void;
}

async function mortal(restart: boolean | RestartOptions | undefined, options: ConnectOptions = {}): Promise<Mortal> {
  const directory = mkdtempSync(join(tmpdir(), "mortal-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const told: Error[] = [];
  const parameters = { command: process.execPath, args: [program.file, directory], stderr: "pipe" as const };
  const client = await connect(
    { ...parameters, ...(restart !== undefined && { restart }) },
    { onError: (error) => void told.push(error), ...options },
  );
  onTestFinished(() => client.close());
  return {
    client,
    told,
    notes: (text) =>
      readFileSync(join(directory, "notes"), "utf8")
        .split("\n")
        .filter((line) => line === text).length,
    is: (state, yes) => (yes ? writeFileSync(join(directory, state), "") : rmSync(join(directory, state))),
  };
}

const pidOf = async (client: Client): Promise<number> => Number((await client.callTool("pid")).text);

describe.each(REVISIONS)("A program that ends, %s", (revision) => {
  it("is started again: calls under way fail and are not repeated, later ones go to the new program [S24]", async () => {
    const { client, told, notes } = await mortal(true, { revision });
    const first = await pidOf(client);
    const starts = notes("started");
    const hanging = rejection(client.callTool("hang"));
    await expect.poll(() => notes("hang")).toBe(1);
    const dying = await rejection(client.callTool("die"));
    const waiting = [pidOf(client), pidOf(client)]; // there is no program now
    for (const error of [dying, await hanging]) {
      expect(error).toBeInstanceOf(ConnectionLostError);
      expect(error).toMatchObject({ outcome: "unknown", cause: { data: { exitCode: 3 } } });
    }
    const [second, third] = await Promise.all(waiting);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect([notes("hang"), notes("started")]).toEqual([1, starts + 1]);
    expect(told).toEqual([expect.objectContaining({ message: "Connection closed: the server exited with code 3" })]);
    await client.close();
    await client.closed;
    expect([first, second!].filter(isAlive)).toEqual([]);
  });

  it("is put where it was: log level, watched resources; changes that may have been missed are announced [S24]", async () => {
    const logged: unknown[] = [];
    const { client, told } = await mortal(true, { revision, onLog: ({ data }) => void logged.push(data) });
    await client.setLoggingLevel("critical");
    const changes = await client.listen({ tools: true, resources: ["memo://a"] });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const change of changes) seen.push(change.kind);
    })();
    await client.callTool("say");
    await client.callTool("dieSoon");
    await expect.poll(() => told).toHaveLength(1);
    await expect.poll(() => seen).toEqual(["tools", "resource"]);
    await client.callTool("say");
    await client.callTool("touch");
    await expect.poll(() => seen).toEqual(["tools", "resource", "resource"]);
    expect(logged).toEqual(["an emergency", "an emergency"]);
    expect(told).toHaveLength(1);
    await changes.close();
    await watching;
  });
});

describe("A program that ends", () => {
  it("ends the client unless it is to be started again [fault S2 S24]", async () => {
    for (const restart of [undefined, false]) {
      const { client, notes } = await mortal(restart);
      const starts = notes("started");
      const error = await rejection(client.callTool("die"));
      expect(error).toBeInstanceOf(ConnectionClosedError);
      expect(error).not.toBeInstanceOf(ConnectionLostError);
      await client.closed;
      expect(await rejection(client.callTool("pid"))).toBeInstanceOf(ConnectionClosedError);
      expect(notes("started")).toBe(starts);
    }
  });

  it("may say what it should not on its stdout: the client reports it, from each of the programs [S11 S24]", async () => {
    const { client, told } = await mortal(true);
    await client.listTools();
    for (const program of ["first", "second"]) {
      expect((await client.callTool("babble")).text, program).toBe("babbled");
      expect(told.pop()?.message).toMatch(/not JSON: .*Hello!/);
      if (program === "first") await rejection(client.callTool("die"));
    }
  });

  it("is not started again before it has agreed on a revision [S24]", async () => {
    const directory = mkdtempSync(join(tmpdir(), "mortal-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, "broken"), "");
    const target = { command: process.execPath, args: [program.file, directory], stderr: "pipe" as const, restart: true };
    await expect(connect(target)).rejects.toMatchObject({ data: { exitCode: 4 } });
    expect(readFileSync(join(directory, "notes"), "utf8")).toBe("started\n");
  });

  it("that keeps ending is started ever later, then not for the rest of a minute: calls fail at once [fault S24]", async () => {
    const clock = new RecordingClock();
    vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const { client, told, notes, is } = await mortal({ max: 3 }, { clock, revision: "2025-11-25" });
    is("broken", true);
    await rejection(client.callTool("die"));
    for (const [index, wait] of [500, 1_000, 2_000].entries()) {
      await expect.poll(() => told).toHaveLength(index + 1);
      // A program takes a while to note that it started. So the test looks at the timer that it waits for.
      await expect.poll(() => clock.delays.at(-1)).toBe(wait);
      expect(notes("started")).toBe(index + 1);
      await clock.advance(wait);
      await expect.poll(() => notes("started")).toBe(index + 2);
    }
    const refused = { message: expect.stringContaining('limit "restart.max" of 3') as string, outcome: "not-sent" };
    await expect.poll(() => told.at(-1)).toMatchObject(refused);
    expect(told.map(({ message }) => message.replace(/.*exited with/, ""))).toEqual([
      " code 3",
      " code 4",
      " code 4",
      " code 4",
      told.at(-1)!.message,
    ]);
    expect(await rejection(client.callTool("pid"))).toMatchObject(refused);
    is("broken", false);
    await clock.advance(57_000 - 10); // a minute after the first start
    expect(await rejection(client.callTool("pid"))).toMatchObject(refused);
    await clock.advance(10);
    const answered = pidOf(client); // waits again
    await clock.advance(4_000);
    expect(await answered).toBeGreaterThan(0);
    expect(notes("started")).toBe(5);
  });

  it("is waited for no longer than a call's own time limit, its signal and the client allow [S24]", async () => {
    const clock = new VirtualClock();
    vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const { client, told, notes } = await mortal(true, { clock, revision: "2025-11-25", timeout: 200 });
    await rejection(client.callTool("die"));
    await expect.poll(() => told).toHaveLength(1); // and it is started again in 500 ms of the clock
    const abort = new AbortController();
    const [own, general, aborted, closed] = [{ timeout: 100 }, {}, { timeout: 1e6, signal: abort.signal }, { timeout: 1e6 }].map(
      (options) => rejection(client.callTool("pid", {}, options)),
    );
    await clock.advance(100);
    expect(await own).toMatchObject({ name: "RequestTimeoutError", data: { timeoutMs: 100 } });
    await clock.advance(100);
    expect(await general).toMatchObject({ name: "RequestTimeoutError", data: { timeoutMs: 200 } });
    abort.abort(new Error("enough"));
    expect(await aborted).toMatchObject({ message: "enough" });
    expect(await rejection(client.callTool("pid", {}, { signal: abort.signal }))).toMatchObject({ message: "enough" });
    await client.close();
    expect(await closed).toBeInstanceOf(ConnectionClosedError);
    await client.closed;
    expect([notes("started"), clock.pending]).toEqual([1, 0]);
  });

  it("is not spoken to in another revision than the one agreed on [S24]", async () => {
    const { client, told, is } = await mortal(true, { revision: "2025-11-25" });
    const first = await pidOf(client);
    is("other", true);
    await rejection(client.callTool("die"));
    const waiting = pidOf(client);
    const message = "The server speaks 2025-03-26 in its new session instead of 2025-11-25";
    await expect.poll(() => told.at(-1)).toMatchObject({ name: "ProtocolViolationError", message });
    is("other", false);
    expect(await waiting).not.toBe(first);
  });

  it("leaves nothing behind where the client is closed while it is started again [S24 S20]", async () => {
    const { client, told } = await mortal(true);
    await client.callTool("dieSoon");
    await expect
      .poll(() => told.map(String))
      .toContain("ConnectionClosedError: Connection closed: the server exited with code 3");
    await Promise.all([client.close(), client.close()]);
    await client.closed;
    expect(await rejection(client.callTool("pid"))).toBeInstanceOf(ConnectionClosedError);
  });

  it("a limit out of range is refused before anything is started [S24]", async () => {
    const target = { command: "no-such-command", restart: { max: 0 } };
    await expect(connect(target)).rejects.toThrow('"restart.max" must be a number >= 1');
  });
});
