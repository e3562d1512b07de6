/** A command cannot go on without a login, and says how to get one. */
import { AuthorizationError, printableUrl } from "../../auth/authorization-error.ts";

/** A server wants somebody to log in. */
export class LoginNeededError extends AuthorizationError {
  override name = "LoginNeededError";

  /** @param problem what is wrong, as the end of a sentence that begins with the server @param scope what is missing */
  constructor(server: URL, problem: string, scope: readonly string[] = []) {
    const remedy = `Run: ${loginCommand(server, scope)}`;
    super({ hop: "authorization", url: server, problem, remedy });
    this.message = `${this.url} ${problem}. ${remedy}`;
  }
}

/** What to type. A query is not repeated: it may hold secrets. */
export function loginCommand(server: URL, scope: readonly string[] = []): string {
  const url = server.search === "" ? printableUrl(server) : "<url>";
  return `tenon login ${url}${scope.length === 0 ? "" : ` --scope "${scope.join(" ")}"`}`;
}
