/** Writes bytes to a port and returns everything that comes back until the server closes. */
import { connect } from "node:net";

export function rawSocket(port: number, bytes: string | Buffer, options: { end?: boolean } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => (options.end ? socket.end(bytes) : socket.write(bytes)));
    socket.setTimeout(60_000, () => socket.destroy(new Error("The server did not close within a minute")));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" ? resolve(Buffer.concat(chunks).toString("latin1")) : reject(error),
    );
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}
