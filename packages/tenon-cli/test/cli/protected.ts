/**
 * A server behind `bearer()`, its authorization server, and a user with a folder of their own: what the commands for
 * logins are tried on.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { bearer, type BearerOptions } from "tenon/auth";
import { serveHttp } from "tenon/node";
import { McpServer, type JsonObject } from "tenon";
import { startAuthorizationServer, type RunningAuthorizationServer, type StartAuthorizationServerOptions } from "tenon/testing";
import { runCommand } from "./run-command.ts";
import { type Ended, type RunOptions, startCommand } from "./start-command.ts";
import { freePort } from "../../../../scripts/free-port.mjs";

type Run = (args: readonly string[], options?: RunOptions) => Promise<Ended>;

export interface World {
  readonly as: RunningAuthorizationServer;
  /** The protected server. */
  readonly url: string;
  /** Runs `tenon` as one user, who has nothing stored in the beginning. */
  readonly run: Run;
  /** The same in a process of its own. */
  readonly start: Run;
  /** What is in the user's store, as text. */
  readonly stored: () => string;
  /** How much that is secret has passed so far: none of it was printed. */
  readonly secrets: () => number;
}

/** What is secret: tokens, codes, verifiers, and what authenticates clients. Found where it passes. */
class Secrets {
  readonly #known = new Set<string>();

  add(...values: unknown[]): void {
    for (const value of values) if (typeof value === "string" && value.length > 7) this.#known.add(value);
  }

  /** @throws Error where any of it was printed */
  assertNoneIn({ stdout, stderr }: Ended): void {
    const printed = [...this.#known].filter((secret) => (stdout + stderr).includes(secret));
    if (printed.length > 0) throw new Error(`Secrets were printed: ${printed.join(", ")}\n${stdout}\n${stderr}`);
  }

  get size(): number {
    return this.#known.size;
  }
}

const SECRET_PARAMETERS = ["code", "code_verifier", "refresh_token", "device_code", "client_secret", "client_assertion", "token"];
const SECRET_ANSWERS = ["access_token", "refresh_token", "id_token", "device_code", "client_secret", "registration_access_token"];

/** Everything ends with the test; every output of `run` is searched for everything secret that passed. */
export function protectedWorld(
  settings: StartAuthorizationServerOptions = {},
  options: Partial<BearerOptions> = {},
): Promise<World> {
  return worldOf(settings, (as) => serve(as, options));
}

/** The same around a server of one's own. @param make resolves with its URL */
export async function worldOf(
  settings: StartAuthorizationServerOptions,
  make: (as: RunningAuthorizationServer) => Promise<string>,
): Promise<World> {
  const secrets = new Secrets();
  const as = await startAuthorizationServer(settings);
  const { alterResponse } = as.settings;
  as.settings.alterResponse = (answer, request) => {
    secrets.add(...SECRET_PARAMETERS.map((name) => request.parameters[name]), request.headers["authorization"]);
    const altered = alterResponse === undefined ? answer : alterResponse(answer, request);
    secrets.add(...SECRET_ANSWERS.map((name) => altered?.[name]));
    return altered;
  };
  const url = await make(as);
  const home = mkdtempSync(join(tmpdir(), "tenon-home-"));
  onTestFinished(async () => {
    rmSync(home, { recursive: true });
    await as.close();
  });
  const asUser =
    (run: Run): Run =>
    async (args, { env = {}, ...rest } = {}) => {
      const ended = await run(args, { env: { HOME: home, XDG_CONFIG_HOME: join(home, "config"), ...env }, ...rest });
      for (const { parameters } of as.requests) secrets.add(...SECRET_PARAMETERS.map((name) => parameters[name]));
      secrets.assertNoneIn(ended);
      return ended;
    };
  return {
    as,
    url,
    run: asUser(runCommand),
    start: asUser(startCommand),
    stored: () => {
      const directory = join(home, "config", "tenon", "auth");
      return readdirSync(directory)
        .map((name) => readFileSync(join(directory, name), "utf8"))
        .join("\n");
    },
    secrets: () => secrets.size,
  };
}

/** The server, until the test has finished: one tool for everybody, one that needs `write`. */
async function serve(as: RunningAuthorizationServer, options: Partial<BearerOptions>): Promise<string> {
  const server = new McpServer({ name: "protected", version: "1.2.3" });
  server.tool("echo", { input: { type: "object" } }, (args) => JSON.stringify(args));
  server.tool("erase", { scopes: ["write"] }, () => "erased");
  // The URL is what tokens are for, so the port has to be known before anything listens on it.
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const http = await serveHttp(server, {
    port,
    auth: bearer({ issuer: as.issuer, audience: url, scopes: ["read"], ...options }),
  });
  onTestFinished(() => http.close());
  return http.url;
}

/** The page a user is shown, found in what the command says. */
export function pageIn(stderr: string): string | undefined {
  return /^(http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+)$/m.exec(stderr)?.[1];
}

/** Logs in as a user does who goes to the page that is shown. */
export async function logIn({ run, url }: World, more: readonly string[] = [], options: RunOptions = {}): Promise<Ended> {
  let visit: Promise<unknown> | undefined;
  const ended = await run(["login", url, "--no-browser", ...more], {
    ...options,
    onStderr: (text) => {
      const page = pageIn(text);
      if (page !== undefined) visit ??= fetch(page).then((response) => response.text());
    },
  });
  await visit;
  return ended;
}

/** What the authorization server gave out last, as it stands in an answer of that endpoint. */
export function watchAnswers(as: RunningAuthorizationServer): Record<string, JsonObject> {
  const answers: Record<string, JsonObject> = {};
  const { alterResponse } = as.settings;
  as.settings.alterResponse = (answer, request) => {
    const altered = alterResponse === undefined ? answer : alterResponse(answer, request);
    if (altered !== undefined && request.endpoint !== undefined) answers[request.endpoint] = altered;
    return altered;
  };
  return answers;
}

/** Ends a login at the authorization server, as its user might. */
export async function revoke(as: RunningAuthorizationServer, answers: Record<string, JsonObject>): Promise<void> {
  const form = { client_id: String(answers["register"]?.["client_id"]), token: String(answers["token"]?.["refresh_token"]) };
  const { status } = await fetch(`${as.issuer}/revoke`, { method: "POST", body: new URLSearchParams(form) });
  expect(status).toBe(200);
}
