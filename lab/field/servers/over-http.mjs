// A server that listens: started on a port that is free, reached by its URL, and ended at the end, since no client does that.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../../scripts/free-port.mjs";

/** Whether something listens. */
const listens = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("close", () => socket.destroy()).unref();
  });

/**
 * Starts a program over HTTP. `<port>` in its arguments and variables is the port.
 *
 * @returns what clients connect to, and what ends the program
 */
export async function startHttp({ command, args, env, cwd, http }) {
  const port = await freePort();
  const given = JSON.parse(JSON.stringify({ args, env }).replaceAll("<port>", String(port)));
  const child = spawn(command, given.args, { cwd, env: given.env, stdio: "ignore" });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  while (!isOver() && !(await listens(port))) await pause(50);
  if (isOver()) throw new Error(`The server ended with ${child.exitCode}`);
  const end = async () => {
    if (isOver()) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { url: `http://127.0.0.1:${port}${http}`, end };
}
