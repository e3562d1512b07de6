// Ports for programs that tests and proofs start.
import { once } from "node:events";
import { createServer } from "node:net";

/** Ports that the system gives to no connection: those that it chooses itself begin at 32768 on Linux, and at 49152 elsewhere. */
const [FIRST, LAST] = [16_000, 32_000];

/** A TCP port of 127.0.0.1 that was free a moment ago, and that no connection of another program takes meanwhile. */
export async function freePort() {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
