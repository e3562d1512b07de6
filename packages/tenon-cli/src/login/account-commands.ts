/** `tenon login`, `tenon logout`, `tenon whoami`: the declarations of the commands. Their code is loaded when they run. */
import type { Command } from "../invocation.ts";

const URL_ONLY = "<url> is a server over https, or on this machine.";

export const login: Command = {
  summary: "log in to a server, for every command that talks to it",
  usage: ["login <url> [--device | --no-browser] [--scope 'a b'] [--client-id id]"],
  options: [
    "device",
    "no-browser",
    "scope",
    "client-id",
    "issuer",
    "resource",
    "assume-pkce",
    "allow",
    "port",
    "callback-host",
    "callback-path",
    "header",
    "timeout",
    "json",
  ],
  optionHelp: {
    port: ["--port number", "where the browser comes back to on this machine (default any that is free)"],
    timeout: ["--timeout ms", "how long you have for the login (default 300000)"],
  },
  about: URL_ONLY,
  examples: [
    "tenon login https://example.com/mcp",
    "tenon login https://example.com/mcp --device",
    "tenon login https://example.com/mcp --client-id my-client --no-browser",
    "tenon login https://example.com/mcp --client-id my-client --port 3118 --callback-host localhost",
    "tenon login https://example.com/mcp --resource none --scope api://my-app/read",
  ],
  run: async (invocation) => (await import("./log-in.ts")).logIn(invocation),
};

export const logout: Command = {
  summary: "forget a login, and have its tokens revoked",
  usage: ["logout <url>"],
  options: ["json"],
  about: URL_ONLY,
  examples: ["tenon logout https://example.com/mcp"],
  run: async (invocation) => (await import("./account.ts")).logOut(invocation),
};

export const whoami: Command = {
  summary: "show a login: who issued it, what it allows, until when",
  usage: ["whoami <url>"],
  options: ["json"],
  about: URL_ONLY,
  examples: ["tenon whoami https://example.com/mcp"],
  run: async (invocation) => (await import("./account.ts")).whoAmI(invocation),
};
