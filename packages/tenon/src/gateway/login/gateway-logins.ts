/** The logins of users at servers of a gateway: the desk that asks for them, the pages, and what changes with them. */
import { LOCAL } from "../credentials/caller-auth.ts";
import type { GatewayOptions } from "../options.ts";
import type { DrainingServers } from "../servers/draining.ts";
import { LoginDesk, type LoginGateway } from "./login-desk.ts";
import { LoginPages, type LoginAt } from "./login-pages.ts";
import { LoginSeals } from "./login-seals.ts";
import { UserLogins } from "./user-logins.ts";

export class GatewayLogins {
  readonly desk: LoginDesk;
  /** Undefined without the option `logins`. */
  readonly pages: LoginPages | undefined;
  readonly #parts: LoginGateway & { readonly draining: DrainingServers };

  /** @throws RangeError if an option of the identity provider has a wrong value */
  constructor(
    { logins: options, requestState }: Pick<GatewayOptions, "logins" | "requestState">,
    parts: LoginGateway & { readonly draining: DrainingServers },
  ) {
    this.#parts = parts;
    const { settings, router } = parts;
    const logins = new UserLogins(settings.loginStore);
    this.pages =
      options &&
      new LoginPages(options, {
        seals: new LoginSeals(requestState?.keys, settings.info.name, settings.clock),
        logins,
        providerAt: ({ server, ...terms }, callbackUrl) =>
          router.serverNamed(server)?.login?.away({ ...terms, store: settings.loginStore }, callbackUrl),
        changed: (login, end) => this.#changed(login, end),
        report: (error) => settings.report(error, { method: "login" }),
      });
    this.desk = new LoginDesk(parts, { records: logins, pages: this.pages, changed: (login) => this.#changed(login, {}) });
  }

  #changed({ server, principal }: LoginAt, { link, isOver = false }: { readonly link?: string; readonly isOver?: boolean }): void {
    const { settings, router, draining, fronts } = this.#parts;
    const tell = (): void => fronts.listsChangedFor(principal === LOCAL ? undefined : principal);
    const changed = router.serverNamed(server)?.loginChanged(principal, isOver);
    if (isOver) draining.loginEnded(server, principal).catch((error: unknown) => settings.report(error, { server }));
    changed?.then(tell, (error: unknown) => settings.report(error, { server }));
    if (link !== undefined) this.desk.ended(link);
  }
}
