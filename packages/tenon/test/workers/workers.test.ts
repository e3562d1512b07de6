/** `serveHttp({ workers })`: one program in several processes behind one port. Starts `dist`. */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Client, type ConnectOptions } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import { serveHttp } from "tenon/node";
import { McpServer } from "tenon/server";
import { isRunning, Program } from "./program.ts";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

async function connected(program: Program, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(program.url, options);
  onTestFinished(() => client.close().catch(() => undefined));
  return client;
}

/** Calls on many connections at once until both workers have run one. Resolves with the calls of each process. */
async function callsOfBoth(client: Client): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  await expect
    .poll(
      async () => {
        const results = await Promise.all(Array.from({ length: 8 }, () => client.callTool("where")));
        for (const { text } of results) seen.set(text, (seen.get(text) ?? 0) + 1);
        return seen.size;
      },
      { timeout: 30_000 },
    )
    .toBe(2);
  return seen;
}

/** Resolves with the processes that have run a call. */
const bothServe = async (client: Client): Promise<Set<string>> => new Set((await callsOfBoth(client)).keys());

describe("Workers", () => {
  test.each(REVISIONS)("serve one port, and any of them serves any request of a session: %s", async (revision) => {
    const program = await Program.serving();
    const client = await connected(program, { revision });
    expect(await bothServe(client)).toEqual(new Set(program.workers.map(String)));
    expect(isRunning(program.child.pid!)).toBe(true);
  });

  test("are started again when they end, and sessions go on", async () => {
    const program = await Program.serving();
    const client = await connected(program, { revision: "2025-11-25" });
    const before = await bothServe(client);
    await expect(client.callTool("end")).rejects.toThrow(/./);
    await expect.poll(() => program.workers.length, { timeout: 30_000 }).toBe(3);
    const [replacement] = program.workers.slice(2);
    expect(before).not.toContain(String(replacement));
    expect(await bothServe(client)).toContain(String(replacement));
    expect(program.lines.join("\n")).toMatch(/tenon: Worker \d \(process \d+\) ended with code 7: another begins in \d+ ms/);
  });

  test("that end again and again are started after pauses that grow", async () => {
    const program = await Program.serving({ DIES: "1" });
    const pauses = (): number[] =>
      program.lines
        .flatMap((line) => /Worker 1 .* ended with code 3: another begins in (\d+) ms/.exec(line)?.[1] ?? [])
        .map(Number);
    await expect.poll(() => pauses().length, { timeout: 30_000 }).toBeGreaterThan(1);
    const [first, second] = pauses();
    expect(second).toBeGreaterThan(first!);
  });

  test("end with their primary process, however that ends", async () => {
    const program = await Program.serving();
    await program.kill();
    await expect.poll(() => program.workers.filter(isRunning), { timeout: 30_000 }).toEqual([]);
  });

  test("serve alone in a test, a thread, or if one is enough", async () => {
    const server = new McpServer({ name: "places", version: "1.0.0" });
    server.tool("where", {}, () => String(process.pid));
    await using endpoint = await serveHttp(server, { port: 0, workers: 2 });
    await using client = await connect(endpoint.url);
    expect((await client.callTool("where")).text).toBe(String(process.pid));
    const program = Program.start({ OPTIONS: '{"workers":1}' });
    await program.said(`serves ${program.child.pid} `);
    expect(program.workers).toEqual([]);
  });
});

describe("What one process shares, workers share", () => {
  test("a question of a call on a live stream is answered at any of them", async () => {
    const program = await Program.serving();
    const onElicit = (): { action: "accept"; content: { name: string } } => ({ action: "accept", content: { name: "Ada" } });
    for (const revision of REVISIONS) {
      const client = await connected(program, { revision, onElicit });
      await bothServe(client);
      const results = await Promise.all(Array.from({ length: 8 }, () => client.callTool("ask")));
      for (const { text } of results) expect(text).toMatch(/^Ada at \d+$/);
    }
  });

  test.each(REVISIONS)("a change at one of them is heard from all: %s", async (revision) => {
    const program = await Program.serving();
    const caller = await connected(program, { revision });
    const heard: string[] = [];
    const listeners = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        const client = await connected(program, { revision });
        const changes = await client.listen({ resources: ["note://one"] });
        void (async () => {
          for await (const _change of changes) heard.push(`client ${index}`);
        })().catch(() => undefined);
        return client;
      }),
    );
    expect(listeners).toHaveLength(4);
    await bothServe(caller);
    await expect.poll(async () => (await caller.callTool("change"), new Set(heard).size), { timeout: 30_000 }).toBe(4);
  });

  test("a task of one of them is found at all", async () => {
    const program = await Program.serving();
    const client = await connected(program, { extensions: [tasks()] });
    await bothServe(client);
    const results = await Promise.all(Array.from({ length: 8 }, () => client.callTool("build")));
    expect(results.map(({ text }) => text)).toEqual(Array.from({ length: 8 }, () => "built"));
  });

  test("a rate limit counts the requests at all of them", async () => {
    const program = await Program.serving();
    const client = await connected(program);
    await bothServe(client);
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => client.getPrompt("greeting")));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  });
});

describe("The end of a program with workers", () => {
  test("a signal lets running calls of all of them end, and closes their servers", async () => {
    const program = await Program.serving();
    const client = await connected(program);
    await bothServe(client);
    const begun = new Set<unknown>();
    const calls = Array.from({ length: 4 }, (_, index) =>
      client.callTool("slow", { ms: 1_500 }, { onProgress: () => void begun.add(index) }),
    );
    await expect.poll(() => begun.size, { timeout: 30_000 }).toBe(4);
    program.child.kill("SIGTERM");
    const pids = program.workers.map(String);
    for (const { text } of await Promise.all(calls)) expect(pids).toContain(text);
    expect(await program.ended()).toBe("SIGTERM");
    expect(program.workers.filter(isRunning)).toEqual([]);
    for (const pid of pids) expect(program.lines).toContain(`closed ${pid}`);
  });

  test("a program that handles the signal itself does so in each process", async () => {
    const program = await Program.serving({ HANDLES: "1" });
    program.child.kill("SIGTERM");
    expect(await program.ended()).toBe(0);
    const handled = [program.child.pid, ...program.workers].map((pid) => `handled ${pid}`);
    expect(program.lines.filter((line) => line.startsWith("handled ")).toSorted()).toEqual(handled.toSorted());
  });

  test("a worker that gets the signal alone drains, and another takes its place", async () => {
    const program = await Program.serving();
    const [first] = program.workers;
    process.kill(first!, "SIGTERM");
    await program.said(`closed ${first}`);
    await expect.poll(() => program.workers.length, { timeout: 30_000 }).toBe(3);
    await bothServe(await connected(program));
  });

  test("/readyz is that of all: 200 while one serves, 404 once they drain", async () => {
    const program = await Program.serving({ OPTIONS: '{"drainDelay":2000}' });
    const readyz = async (): Promise<number> => (await fetch(new URL("/readyz", program.url))).status;
    expect(await readyz()).toBe(200);
    process.kill(program.workers[0]!, "SIGKILL");
    await program.said(/ended with SIGKILL/);
    expect(await readyz()).toBe(200);
    program.child.kill("SIGTERM");
    await expect.poll(readyz, { timeout: 30_000 }).toBe(404);
    expect(await program.ended()).toBe("SIGTERM");
  });
});

describe("A program that cannot serve", () => {
  test("with a lifespan that fails rejects with its error, and leaves no process", async () => {
    const program = Program.start({ BROKEN: "the database is away" });
    expect(await program.ended()).toBe(1);
    expect(program.lines.join("\n")).toContain("the database is away");
  });

  test("on a port that is taken rejects with the error that names the option", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo; // it listens on a port
    const program = Program.start({ OPTIONS: JSON.stringify({ port }) });
    expect(await program.ended()).toBe(1);
    expect(program.lines.join("\n")).toMatch(/the port is taken.*option "port"/);
  });

  test("with the transport of 2024-11-05 is refused, whose connections belong to one process", async () => {
    const program = Program.start({ OPTIONS: '{"httpSse":true}' });
    expect(await program.ended()).toBe(1);
    expect(program.lines.join("\n")).toContain('a connection of "httpSse" belongs to one process');
  });

  test.each([0, 1.5, 1_025, "two", null])("refuses %j workers", async (workers) => {
    const server = new McpServer({ name: "places", version: "1.0.0" });
    await expect(serveHttp(server, { port: 0, workers: workers as number })).rejects.toThrow(
      'Option "workers" must be "all" or a whole number from 1 to 1024',
    );
  });
});

test("the log of a worker says which one it is", async () => {
  const program = await Program.serving({ LOGS: "1" });
  await bothServe(await connected(program));
  for (const number of [1, 2])
    expect(await program.said(`tenon: worker ${number}: tools/call`)).toMatch(/"where" ok \d+\.\d ms$/);
});

test("the metrics of a worker have its number, and count its own calls", async () => {
  const program = await Program.serving({ METRICS: "1" });
  const client = await connected(program);
  const calls = await callsOfBoth(client);
  const measured = new Map<string, { worker: number; calls: number }>();
  await expect
    .poll(
      async () => {
        const results = await Promise.all(Array.from({ length: 8 }, () => client.callTool("measured")));
        for (const { text } of results) {
          const { pid, ...its } = JSON.parse(text) as { pid: number; worker: number; calls: number };
          measured.set(String(pid), its);
        }
        return measured.size;
      },
      { timeout: 30_000 },
    )
    .toBe(2);
  expect([...measured.values()].map(({ worker }) => worker).toSorted()).toEqual([1, 2]);
  expect(new Map([...measured].map(([pid, its]) => [pid, its.calls]))).toEqual(calls);
});
