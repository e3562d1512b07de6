// Programs as a newcomer runs them: each in a process of its own, in a folder, with a limit of time.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Milliseconds for one program, unless a film has a longer one. It ends what hangs. */
const LIMIT = 180_000;

/** Runs a program to its end, and returns what it printed. @throws Error with its output if it fails */
export async function run(command, args, { cwd, env = {}, limit = LIMIT }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limit,
    killSignal: "SIGKILL",
  });
  let [stdout, all] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text;
    all += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => (all += text));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  if (code !== 0) throw new Error(`${[command, ...args].join(" ")} ended with exit code ${code}:\n${all}`);
  return stdout;
}

/**
 * Starts `tenon dev`, which prints lines of JSON and goes on running. Resolves with the URL of the server and that of its page.
 */
export async function start(command, args, { cwd, env = {} }) {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (complaints += text));
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
  };
  const lines = createInterface({ input: child.stdout });
  const urls = new Map();
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${args[0]} did not start within ${LIMIT} ms`)), LIMIT);
    lines.on("line", (line) => {
      if (!line.startsWith("{")) return;
      const { url, kind } = JSON.parse(line);
      if (url !== undefined) urls.set(kind, url);
      if (!urls.has("listening") || !urls.has("page")) return;
      clearTimeout(timer);
      resolve();
    });
    child.on("error", reject);
    void ended.then((code) => reject(new Error(`${args[0]} ended with exit code ${code}:\n${complaints}`)));
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { url: urls.get("listening"), page: urls.get("page"), stop };
}
