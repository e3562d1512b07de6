/** The logins of users at servers of a gateway: the desk that asks for them, the pages, and what changes with them. */
import type { SealingKey } from "../../session/asking/options.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Caller } from "../clients/caller.ts";
import { LOCAL, type LoginWays } from "../credentials/caller-auth.ts";
import type { Settings } from "../options.ts";
import type { States } from "../asking/states.ts";
import { LoginDesk } from "./login-desk.ts";
import type { LoginPagesOptions } from "./login-options.ts";
import { LoginPages, type LoginAt } from "./login-pages.ts";
import { LoginSeals } from "./login-seals.ts";
import { UserLogins } from "./user-logins.ts";

/** A server at which users log in. */
interface LoginServer {
  readonly login: LoginWays | undefined;
  loginChanged(principal: string, isOver: boolean): Promise<void>;
}

/** What logins need of the gateway. */
export interface GatewayLoginsHost {
  readonly settings: Settings;
  readonly states: States;
  server(name: string): LoginServer | undefined;
  /** Ends the connections of a principal at servers of that name that are not configured any more. */
  loginEnded(server: string, principal: string): Promise<void>;
  caller(context: RequestContext): Caller;
  /** Called when the lists of a principal may have changed; undefined for clients on this machine. */
  changed(principal: string | undefined): void;
}

/** The options of the gateway that concern logins. */
interface LoginOptions {
  readonly logins?: LoginPagesOptions;
  readonly requestState?: { readonly keys?: readonly SealingKey[] };
}

export class GatewayLogins {
  readonly desk: LoginDesk;
  /** Undefined without the option `logins`. */
  readonly pages: LoginPages | undefined;
  readonly #host: GatewayLoginsHost;

  /** @throws RangeError if an option of the identity provider has a wrong value */
  constructor({ logins: options, requestState }: LoginOptions, host: GatewayLoginsHost) {
    this.#host = host;
    const { settings, states } = host;
    const logins = new UserLogins(settings.loginStore);
    this.pages =
      options &&
      new LoginPages(options, {
        seals: new LoginSeals(requestState?.keys, settings.info.name, settings.clock),
        logins,
        providerAt: ({ server, ...terms }, callbackUrl) =>
          host.server(server)?.login?.away({ ...terms, store: settings.loginStore }, callbackUrl),
        changed: (login, end) => this.#changed(login, end),
        report: (error) => settings.report(error, { method: "login" }),
      });
    this.desk = new LoginDesk({
      settings,
      states,
      logins,
      pages: this.pages,
      caller: (context) => host.caller(context),
      waysOf: (server) => host.server(server)?.login,
      changed: (login) => this.#changed(login, {}),
    });
  }

  #changed({ server, principal }: LoginAt, { link, isOver = false }: { readonly link?: string; readonly isOver?: boolean }): void {
    const { settings } = this.#host;
    const told = (): void => this.#host.changed(principal === LOCAL ? undefined : principal);
    const changed = this.#host.server(server)?.loginChanged(principal, isOver);
    if (isOver) this.#host.loginEnded(server, principal).catch((error: unknown) => settings.report(error, { server }));
    changed?.then(told, (error: unknown) => settings.report(error, { server }));
    if (link !== undefined) this.desk.ended(link);
  }
}
