/** The cookie that carries what a browser has done on the pages of an endpoint from step to step, sealed. */
import type { PageRequest } from "../dispatch/acceptor.ts";
import type { PageSeals } from "./page-seals.ts";

export class PageCookie<State> {
  readonly #seals: PageSeals<unknown, State>;
  readonly #name: string;
  readonly #attributes: string;
  readonly #seconds: number;

  /** @param ttl milliseconds that a browser has for one step */
  constructor(seals: PageSeals<unknown, State>, { name, isSecure, ttl }: { name: string; isSecure: boolean; ttl: number }) {
    this.#seals = seals;
    this.#name = isSecure ? `__Host-${name}` : name;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
    this.#seconds = Math.ceil(ttl / 1000);
  }

  /** What a browser brings; undefined if it brings nothing that can be used, or two of them. */
  async read(request: PageRequest): Promise<State | undefined> {
    const cookies = (request.header("cookie") ?? "").split(";").map((part) => part.trim());
    const mine = cookies.filter((cookie) => cookie.startsWith(`${this.#name}=`));
    return mine.length === 1 ? this.#seals.openState(mine[0]!.slice(this.#name.length + 1)) : undefined;
  }

  /** The header that lets a browser remember. */
  async remember(state: State): Promise<readonly string[]> {
    return ["Set-Cookie", `${this.#name}=${await this.#seals.sealState(state)}; Max-Age=${this.#seconds}; ${this.#attributes}`];
  }

  /** The header that lets a browser forget. */
  forget(): readonly string[] {
    return ["Set-Cookie", `${this.#name}=; Max-Age=0; ${this.#attributes}`];
  }
}
