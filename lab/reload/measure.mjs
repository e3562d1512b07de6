// One client of the official SDK calls while a file is saved again and again.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Client as Second, StreamableHTTPClientTransport as SecondHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondStdio } from "@modelcontextprotocol/client/stdio";
import { Client as First } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { makeProject } from "./project.mjs";

const stateful = {
  client: "1.x, stateful",
  make: () => new First({ name: "reload", version: "1" }),
  Stdio: FirstStdio,
  Http: FirstHttp,
};
const stateless = {
  client: "2.x, stateless",
  make: () => new Second({ name: "reload", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
  Stdio: SecondStdio,
  Http: SecondHttp,
};
export const WAYS = [stateful, stateless].flatMap((family) => ["stdio", "HTTP"].map((how) => ({ ...family, how })));

/** Calls at the same time. */
const CALLERS = 3;
/** Milliseconds between a save that was served and the next one, if the callers rest. */
const APART = 500;
/** Milliseconds for a save to be served. It ends what hangs. */
const LIMIT = 60_000;

/** Starts `tenon dev` over HTTP. */
async function startHttp({ folder, main }) {
  const child = spawn(process.execPath, [main, "dev", "server.ts", "--port", "0", "--json"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const event = JSON.parse(line);
      if (event.kind === "listening") resolve(event.url);
    });
    void ended.then((code) => reject(new Error(`tenon dev ended with exit code ${code}`)));
  });
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
  };
  return { url, stop };
}

async function connectTo({ make, Stdio, Http, how }, project) {
  const client = make();
  const counts = { calls: 0, failures: 0, closed: 0 };
  const http = how === "HTTP" ? await startHttp(project) : undefined;
  let isEnding = false;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no events
  client.onclose = () => isEnding || counts.closed++;
  const words = { command: process.execPath, args: [project.main, "dev", "server.ts"], cwd: project.folder, stderr: "ignore" };
  await client.connect(http ? new Http(new URL(http.url)) : new Stdio(words));
  const close = async () => {
    isEnding = true;
    await client.close();
    await http?.stop();
  };
  return { client, counts, close };
}

/** Callers that call until `signal` aborts, rest between calls, and report each version that they get. */
function startCallers({ client, counts }, { signal, rest }, onVersion) {
  const caller = async () => {
    while (!signal.aborted) {
      const result = await client
        .callTool({ name: "version", arguments: {} })
        .catch((error) => ({ isError: true, content: [{ text: error }] }));
      counts.calls++;
      if (result.isError) console.error(`${++counts.failures}. ${result.content[0]?.text}`);
      else onVersion(result.content[0].text);
      if (rest > 0) await pause(rest);
    }
  };
  return Promise.all(Array.from({ length: CALLERS }, caller));
}

/**
 * Saves `saves` times, each as soon as the one before is served, or later if the callers rest `rest` milliseconds between calls.
 * Milliseconds from the save to the first answer of the new code.
 */
export async function measure(way, { saves, rest }) {
  const project = makeProject();
  const connection = await connectTo(way, project);
  const done = new AbortController();
  let [wanted, served] = ["", () => undefined];
  const calling = startCallers(connection, { signal: done.signal, rest }, (version) => version === wanted && served());
  try {
    // A client of a stateless revision connects without a word: the command may have just begun to start.
    await servedWithin("0", () => undefined);
    const times = [];
    for (let save = 1; save <= saves; save++) {
      if (rest > 0 && save > 1) await pause(APART);
      times.push(await servedWithin(String(save), () => project.save(save)));
    }
    const [first, ...others] = times;
    return { first, times: others, ...connection.counts };
  } finally {
    done.abort();
    await calling;
    await connection.close();
    project.remove();
  }

  /** Milliseconds from `begin` to the first answer of a version. */
  function servedWithin(version, begin) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`Version ${version} was not served within ${LIMIT} ms`)), LIMIT);
      const began = performance.now();
      wanted = version;
      served = () => {
        clearTimeout(timer);
        resolve(performance.now() - began);
      };
      begin();
    });
  }
}
