/**
 * A TCP connection between two parts of the cluster that a proof can cut: then bytes wait in both directions, and nobody is told,
 * as in a network that is partitioned. When it is mended, what waited arrives.
 */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

export class Link {
  /** Milliseconds by which bytes on their way to the target wait. */
  delay = 0;
  #server: Server;
  #target: number;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #isCut = false;

  private constructor(target: number) {
    this.#target = target;
    this.#server = this.#created();
  }

  /** Listens on a free port for a server on another port of this machine. */
  static async to(target: number): Promise<Link> {
    const link = new Link(target);
    await link.#listen(0);
    return link;
  }

  get port(): number {
    return this.#port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /**
   * The connections that are there carry nothing any more and do not end, as behind a firewall that forgot them. New ones are
   * carried.
   */
  strand(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** Ends the connections that are there, and leads new ones to another port, as an address does that follows a failover. */
  turnTo(target: number): void {
    this.#target = target;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Refuses connections, as the system of a process that has ended does. */
  refuse(): void {
    this.#server.close();
  }

  /** Accepts connections again, on the same port. */
  async accept(): Promise<void> {
    const { port } = this;
    this.#server = this.#created();
    await this.#listen(port);
  }

  close(): void {
    if (this.#server.listening) this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #created(): Server {
    return createServer({ pauseOnConnect: true }, (here) => this.#join(here, connect(this.#target, "127.0.0.1")));
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port; // it listens on a port
  }

  /** Carries bytes between two sockets until one of them ends. */
  #join(here: Socket, there: Socket): void {
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (bytes) => {
        if (from === here && this.delay > 0) return void setTimeout(() => to.write(bytes), this.delay);
        if (to.write(bytes)) return;
        from.pause();
        to.once("drain", () => this.#isCut || from.resume());
      });
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isCut) from.pause();
      else from.resume();
    }
  }
}
