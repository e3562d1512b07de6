// `tenon run --http --store`: several processes of one server behind one engine.
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "tenon/client";
import { assertStarted, startEngine } from "../../../tenon/test/stores/engines.ts";
import { type Ended, fixture, startCommand } from "./start-command.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Serves a file until `stop` is called. Resolves when it listens. */
async function served(args: readonly string[]): Promise<{ url: string; stop: () => Promise<Ended> }> {
  let stop: () => Promise<Ended>;
  const url = await new Promise<string>((resolve, reject) => {
    const ended = startCommand(["run", ...args], {
      onStderr: (text, kill) => {
        stop = () => {
          kill("SIGINT");
          return ended;
        };
        const found = /at (http:\/\/127\.0\.0\.1:\d+\/mcp)\./.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      },
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return { url, stop: () => stop() };
}

test("run --http --store serves the sessions of all processes of the server", async (context) => {
  const engine = assertStarted(await startEngine("redis"), "redis", context);
  onTestFinished(() => engine.stop());
  const args = [fixture("shared.mjs"), "--http", "--port", "0", "--store", engine.url];
  const nodes = await Promise.all([served(args), served(args)]);
  let turn = 0;
  const balanced = (url: string | URL, init?: RequestInit): Promise<Response> => {
    const to = new URL(url);
    to.port = new URL(nodes[turn++ % 2]!.url).port;
    return fetch(to, init);
  };
  // On a busy machine the nodes may reach the engine only after they listen.
  const client = await vi.waitFor(() => connect({ url: nodes[0]!.url, fetch: balanced }, { revision: "2025-11-25" }), 30_000);
  const pids = await Promise.all(Array.from({ length: 6 }, async () => (await client.callTool("pid")).text));
  expect(new Set(pids).size).toBe(2);
  await client.close();
  const ends = await Promise.all(nodes.map(({ stop }) => stop()));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

test.each(["redis", "nats", "postgres"])(
  "an engine of %s that is away is one line that says what to do, and no stack",
  async (engine) => {
    const ended = await startCommand(
      ["run", fixture("shared.mjs"), "--http", "--port", "0", "--store", `${engine}://user:s3cr3t@127.0.0.1:1`],
      {
        onStderr: (text, kill) => {
          if (text.includes("Serving ")) kill("SIGINT");
        },
      },
    );
    expect(ended.code).toBe(0);
    const lines = ended.stderr.trim().split("\n");
    expect(lines).toHaveLength(2);
    // On a busy machine the time to connect may end first.
    const reason = String.raw`(nothing listens there \(ECONNREFUSED\)|.* took longer than \d+ ms \(option "timeout"\))`;
    const remedy = "Requests that need it fail until it is there: start it, or name another one with --store.";
    expect(lines[0]).toMatch(new RegExp(`^The store at ${engine}://127.0.0.1:1 is not available: ${reason}\\. ${remedy}$`));
    expect(lines[1]).toContain("Serving ");
  },
);

test("2: a store of no known engine, and one without --http", async () => {
  const unknown = await startCommand(["run", fixture("shared.mjs"), "--http", "--store", "mysql://localhost"]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("--store must be redis://") as string });
  const secret = await startCommand(["run", fixture("shared.mjs"), "--http", "--store", "mysql://user:s3cr3t@localhost"]);
  expect(secret.stderr).not.toContain("s3cr3t");
  const alone = await startCommand(["run", fixture("shared.mjs"), "--store", "redis://localhost"]);
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("--store goes with --http.") as string });
});
