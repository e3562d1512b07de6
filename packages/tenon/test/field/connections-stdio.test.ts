// Programs and hosts of the field on stdio: bridges, noise, and programs that fail at once (F2.4 to F2.7).
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { connect, McpServer, type JsonObject } from "tenon";
import { createGateway } from "tenon/gateway";
import { serveStdio, StdioTransport } from "tenon/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";

interface Line {
  say(message: JsonObject): void;
  write(text: string): void;
  /** The next message of the server. */
  next(): Promise<JsonObject>;
}

/** A server on two streams, as a bridge sees a program. */
function program(server: Parameters<typeof serveStdio>[0]): Line {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { stdin: input, stdout: output });
  onTestFinished(async () => {
    input.end();
    await serving;
  });
  const transport = new StdioTransport({ input: output, output: new PassThrough() });
  return {
    say: (message) => void input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    write: (text) => void input.write(text),
    next: async () => (await transport.receive()) as unknown as JsonObject,
  };
}

const hello = (id: number, name: string, protocolVersion = "2025-06-18"): JsonObject => ({
  id,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name, version: "1" } },
});

function greeter(): McpServer {
  const server = new McpServer({ name: "g", version: "1" });
  server.tool("who", {}, (_input, context) => String(context.client.info?.name));
  return server;
}

describe("a bridge that passes several clients to one program", () => {
  test("each handshake replaces the one before, also with the same id, and each client is served [FD-64]", async () => {
    const line = program(greeter());
    for (const [name, version] of [
      ["first", "2025-11-25"],
      ["second", "2024-11-05"],
      ["third", "2025-06-18"],
    ] as const) {
      line.say(hello(1, name, version));
      expect(await line.next()).toMatchObject({ id: 1, result: { protocolVersion: version } });
      line.say({ method: "notifications/initialized" });
      line.say({ id: 2, method: "tools/call", params: { name: "who" } });
      expect(await line.next()).toMatchObject({ id: 2, result: { content: [{ text: name }] } });
    }
  });

  test("a call that runs goes on while another client introduces itself [FD-64]", async () => {
    const server = greeter();
    let end!: () => void;
    server.tool("slow", {}, async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return "done";
    });
    const line = program(server);
    line.say(hello(1, "first"));
    await line.next();
    line.say({ id: 7, method: "tools/call", params: { name: "slow" } });
    line.say(hello(1, "second"));
    expect(await line.next()).toMatchObject({ id: 1, result: {} });
    end();
    expect(await line.next()).toMatchObject({ id: 7, result: { content: [{ text: "done" }] } });
  });

  test("a gateway is shared in the same way [FD-64]", async () => {
    const line = program(createGateway({ readyTimeout: 60_000, servers: { g: greeter() } }));
    for (const name of ["first", "second"]) {
      line.say(hello(1, name));
      expect(await line.next()).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
      line.say({ id: 2, method: "tools/call", params: { name: "g__who" } });
      expect(await line.next()).toMatchObject({ id: 2, result: { content: [{ type: "text" }] } });
    }
  });
});

test("a stray `notifications/initialized` opens nothing, and a handshake works after it [FD-65]", async () => {
  const line = program(greeter());
  line.say({ method: "notifications/initialized" });
  line.say({ id: 1, method: "tools/list" });
  expect(await line.next()).toMatchObject({
    id: 1,
    error: { code: -32602, message: expect.stringContaining("before initialization") },
  });
  line.say(hello(2, "late"));
  expect(await line.next()).toMatchObject({ id: 2, result: {} });
  line.say({ id: 3, method: "tools/call", params: { name: "who" } });
  expect(await line.next()).toMatchObject({ id: 3, result: { content: [{ text: "late" }] } });
});

describe("several messages on one line", () => {
  test.each(["", " ", "\t"])("are several messages to a server [FD-66]", async (between) => {
    const line = program(greeter());
    const [first, second] = [hello(1, "a"), { id: 2, method: "tools/call", params: { name: "who", arguments: { text: '}{"' } } }];
    line.write([first, second].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message })).join(between) + "\n");
    expect([await line.next(), await line.next()]).toMatchObject([{ id: 1 }, { id: 2, result: { content: [{ text: "a" }] } }]);
  });

  test("and to a client [FD-66]", async () => {
    const script = `
      const answer = (id, result) => JSON.stringify({ jsonrpc: "2.0", id, result });
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        if (id === undefined) return;
        const serverInfo = { name: "s", version: "1" };
        const result = method === "initialize" ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo }
          : method === "tools/list" ? { tools: [] } : undefined;
        const log = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "}{" } });
        const refusal = JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } });
        process.stdout.write(log + (result ? answer(id, result) : refusal) + "\\n");
      });`;
    const logs: unknown[] = [];
    const errors: Error[] = [];
    const client = await closing(
      connect(
        { command: process.execPath, args: ["-e", script] },
        { onLog: ({ data }) => void logs.push(data), onError: (error) => errors.push(error) },
      ),
    );
    expect((await client.listTools()).tools).toEqual([]);
    expect([logs.at(-1), errors]).toEqual(["}{", []]);
  });
});

describe("a call that times out", () => {
  test.each([
    ["a message with line breaks in it", "JSON.stringify(message, null, 2)", '"}"'],
    ["a prompt before the message", '"> " + JSON.stringify(message)', "> {"],
    ["single quotes", "JSON.stringify(message).replaceAll('\"', \"'\")", "jsonrpc"],
  ])("says which lines could not be read: %s [FD-67]", async (_what, text, sample) => {
    const script = `
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const message = method === "initialize"
          ? { jsonrpc: "2.0", id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {} },
              serverInfo: { name: "s", version: "1" } } }
          : { jsonrpc: "2.0", id, result: { tools: [] } };
        if (id !== undefined) process.stdout.write((method === "tools/list" ? ${text} : JSON.stringify(message)) + "\\n");
      });`;
    const target = { command: process.execPath, args: ["-e", script], stderr: "ignore" } as const;
    const client = await closing(connect(target, { revision: "stateful", onError: () => undefined }));
    const { message } = (await failureOf(client.listTools({}, { timeout: 1_000 }))) as Error;
    expect(message).toMatch(
      /^Request "tools\/list" timed out .*; meanwhile the server wrote .* could not be read as a message: /,
    );
    expect(message).toContain(sample);
  });
});

test("an error with an id of the server's own is its answer to the first request [FD-63]", async () => {
  const script = `
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
      const hello = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
      if (method === "initialize") say({ id, result: hello });
      else if (method === "tools/list") say({ id, result: { tools: [] } });
      else if (id !== undefined) say({ id: -32603, error: { code: 1, message: "Unknown request: " + method } });
    });`;
  const errors: Error[] = [];
  const target = { command: process.execPath, args: ["-e", script] };
  const client = await closing(connect(target, { onError: (error) => errors.push(error) }));
  expect([(await client.listTools()).tools, errors]).toEqual([[], []]);
});

describe("a program that fails at once", () => {
  /** Counts its starts in a file, then does the rest. */
  const counted = async (rest: string): Promise<{ starts: number; error: unknown }> => {
    const file = join(tmpdir(), `tenon-starts-${crypto.randomUUID()}`);
    onTestFinished(() => rm(file, { force: true }));
    const script = `require("node:fs").appendFileSync(${JSON.stringify(file)}, "x"); ${rest}`;
    const error = await failureOf(
      connect({ command: process.execPath, args: ["-e", script], stderr: new PassThrough().resume() }),
    );
    return { starts: (await readFile(file, "utf8")).length, error };
  };

  test.each([
    ["says why", 'console.error("Fatal error: no API key"); process.exit(1)'],
    ["fails without a word", "process.exit(1)"],
    ["reads the first request and fails without a word", 'process.stdin.once("data", () => process.exit(3))'],
    ["throws", 'throw new Error("Cannot find module")'],
    ["takes a moment", 'setTimeout(() => { console.error("no database"); process.exit(2); }, 300)'],
    ["is killed", 'console.error("out of memory"); process.kill(process.pid, "SIGKILL")'],
  ])("and %s is started once, and its end is the error [FD-68]", async (_what, rest) => {
    const { starts, error } = await counted(rest);
    expect([starts, (error as Error).message]).toEqual([1, expect.stringMatching(/exited with code|was killed/)]);
  });

  test("and says nothing names the option for servers that fail because of the first request [FD-68]", async () => {
    const { error } = await counted("process.exit(1)");
    expect((error as Error).message).toMatch(
      /exited with code 1 \(if "server\/discover" ends it, set the option "revision" to "stateful"\)$/,
    );
  });

  test.each([
    [
      "an official Rust server",
      'console.error("Error: expect initialized request, but received: Some(Request)"); process.exit(1)',
    ],
    ["a program that ends in order", "process.exit(0)"],
    ["a program that has said something", 'process.stdout.write("ready\\n", () => { console.error("?"); process.exit(1); })'],
  ])("but %s may have ended because of the probe: it is started for the handshake alone [FD-68]", async (_what, rest) => {
    const { starts } = await counted(`process.stdin.once("data", () => { ${rest} })`);
    expect(starts).toBe(2);
  });
});
