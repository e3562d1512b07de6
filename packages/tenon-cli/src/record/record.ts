/** `tenon record`: the command's declaration. Its code is loaded when it runs. */
import type { Command } from "../invocation.ts";

export const record: Command = {
  summary: "write what a server says to a file, and serve the file in its place",
  usage: [
    "record <server> [-o recording.json] [--port number]",
    "record [-o recording.json] -- <command> [argument ...]",
    "record --serve recording.json [--http [--port number]] [--faults late=200ms,cut,wrong,closed [--seed number]]",
  ],
  options: ["config", "env", "header", "yes", "output", "port", "http", "serve", "faults", "seed"],
  optionHelp: {
    http: ["--http", "with --serve: over HTTP on 127.0.0.1, path /mcp, until Ctrl-C; the default is stdio"],
    output: ["-o, --output file", "the file to write (default recording.json)"],
    port: ["--port number", "the port on 127.0.0.1 (default 3000; 0 for any that is free)"],
  },
  about:
    "It stands between a client and a server: give it to a host in the server's place. A command is recorded on stdin and stdout, a URL at a URL of this machine.",
  examples: [
    "tenon record -o weather.json -- npx -y weather-server",
    "tenon record https://example.com/mcp -o example.json",
    "tenon record --serve weather.json",
    "tenon record --serve weather.json --http --faults late=2s,cut,wrong,closed --seed 7",
  ],
  run: async (invocation) => {
    if (invocation.values.serve !== undefined) return (await import("./serve-recording.ts")).serveRecording(invocation);
    return (await import("./record-session.ts")).recordSession(invocation);
  },
};
