// An API that each user logs in to. A tool that has no token, or one that the API refuses, asks the user to open the login page, and goes
// on when the user is back. The API and its authorization server run here for the example: put your own in their place.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as oauth from "oauth4webapi";
import { connect } from "tenon/client";
import { fromOpenApi, type CredentialSource } from "tenon/openapi";
import { McpServer, type RequestContext } from "tenon/server";
import { startAuthorizationServer } from "tenon/testing";

/** Where the user's browser comes back to. */
const callback = createServer((request, response) => {
  const url = new URL(request.url ?? "/", redirectUri);
  finishLogin(url).then(
    () => response.end("You are logged in. Close this page."),
    () =>
      response
        .writeHead(400)
        .end("This login is unknown or has ended. Start again."),
  );
}).listen(0, "127.0.0.1");
await new Promise((resolve) => callback.once("listening", resolve));
const redirectUri = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`;

const client: oauth.Client = { client_id: "notes-mcp" };
const id = await startAuthorizationServer({
  subject: "ann",
  clients: [
    {
      client_id: client.client_id,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
    },
  ],
});
const issuer = new URL(id.issuer);
const local = { [oauth.allowInsecureRequests]: true }; // http: on this machine. Leave it out elsewhere.
const provider = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...local }),
);

/** Tokens of the API by the principals of this server, and logins that users have not finished. Keep them in a store in production. */
const tokens = new Map<string, string>();
const logins = new Map<
  string,
  {
    readonly principal: string;
    readonly verifier: string;
    readonly done: () => void;
  }
>();
const waiting = new Map<string, Promise<void>>();

/** The page to open, and what resolves when the user is back. The verifier stays here: it must not travel through the client. */
async function startLogin(
  principal: string,
): Promise<{ page: string; state: string }> {
  const [state, verifier] = [
    oauth.generateRandomState(),
    oauth.generateRandomCodeVerifier(),
  ];
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const query = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state,
  };
  const page = `${provider.authorization_endpoint}?${new URLSearchParams({ ...query, code_challenge: challenge, code_challenge_method: "S256" }).toString()}`;
  const finished = new Promise<void>((done) =>
    logins.set(state, { principal, verifier, done }),
  );
  waiting.set(state, finished);
  setTimeout(
    () => (logins.delete(state), waiting.delete(state)),
    600_000,
  ).unref();
  return { page, state };
}

async function finishLogin(url: URL): Promise<void> {
  const state = url.searchParams.get("state") ?? "";
  const login = logins.get(state);
  if (login === undefined) throw new Error("There is no such login");
  logins.delete(state); // it counts once
  const parameters = oauth.validateAuthResponse(provider, client, url, state);
  const response = await oauth.authorizationCodeGrantRequest(
    provider,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    login.verifier,
    local,
  );
  const { access_token } = await oauth.processAuthorizationCodeResponse(
    provider,
    client,
    response,
  );
  tokens.set(login.principal, access_token);
  login.done();
}

const credential: CredentialSource = async (ctx, _request, refused) => {
  const principal = ctx.principal ?? "the only user";
  const token = tokens.get(principal);
  if (token !== undefined && token !== refused) return token;
  return (await logIn(
    ctx,
    principal,
    refused === undefined ? "log in" : "log in again",
  ))
    ? tokens.get(principal)
    : undefined;
};

async function logIn(
  ctx: RequestContext,
  principal: string,
  name: string,
): Promise<boolean> {
  // A step, because the handler may run again after the question: it must ask with the same page then.
  const { page, state } = await ctx.step(`${name}: page`, () =>
    startLogin(principal),
  );
  if (
    (await ctx.elicitUrl(name, {
      message: "Log in to your notes",
      url: page,
    })) !== "accept"
  )
    return false;
  const ended = new Promise<never>((_, reject) =>
    ctx.signal.addEventListener("abort", () =>
      reject(ctx.signal.reason as Error),
    ),
  );
  await Promise.race([waiting.get(state), ended]);
  return true;
}

// The API: it takes any token of the authorization server until that is ended.
const isEnded = new Set<string>();
const api = createServer((request, response) => {
  const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
  if (isEnded.has(token)) {
    response.writeHead(401).end("The token has ended");
    return;
  }
  const { sub } = JSON.parse(
    Buffer.from(token.split(".")[1] ?? "", "base64url").toString(),
  ) as { sub: string };
  response
    .setHeader("content-type", "application/json")
    .end(JSON.stringify({ notes: `Notes of ${sub}` }));
}).listen(0, "127.0.0.1");
await new Promise((resolve) => api.once("listening", resolve));

const flow = {
  authorizationUrl: provider.authorization_endpoint,
  tokenUrl: provider.token_endpoint,
  scopes: {},
};
const document = {
  openapi: "3.1.0",
  info: { title: "Notes", version: "1.0.0" },
  components: {
    securitySchemes: {
      login: { type: "oauth2", flows: { authorizationCode: flow } },
    },
  },
  paths: {
    "/notes": {
      get: { operationId: "readNotes", security: [{ login: [] }] },
    },
  },
};
const baseUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
const { tools } = await fromOpenApi(document, {
  baseUrl,
  auth: { login: credential },
});
const server = new McpServer({ name: "notes", version: "1.0.0" }, { tools });

// The user: a browser that follows the page to wherever it leads, which is back here.
const user = await connect(server, {
  onElicit: (question) => {
    console.log(question.message);
    if (question.mode === "url") void fetch(question.url);
    return { action: "accept" };
  },
});
console.log((await user.callTool("readNotes")).text);
console.log((await user.callTool("readNotes")).text);
isEnded.add(tokens.get("the only user") ?? "");
console.log((await user.callTool("readNotes")).text);

await user.close();
await server.close();
await id.close();
for (const each of [callback, api]) each.close();
