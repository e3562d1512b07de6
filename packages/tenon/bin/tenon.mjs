#!/usr/bin/env node
// Starts the command, which is a package of its own: the `tenon-cli` of the project, else the one beside this package. Without either npm
// runs it at this version, and asks first as npm does.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The program of `tenon-cli` as a module sees it that lies at this path; undefined if it is not installed there. */
function commandFrom(path) {
  try {
    const manifest = createRequire(path).resolve("tenon-cli/package.json");
    return join(manifest, "..", JSON.parse(readFileSync(manifest, "utf8")).bin["tenon-cli"]);
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

const command = commandFrom(join(process.cwd(), "project.js")) ?? commandFrom(import.meta.url);
if (command !== undefined) {
  process.argv[1] = command;
  await import(pathToFileURL(command).href);
} else {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const { default: spawn } = await import("cross-spawn");
  const npm = spawn("npm", ["exec", `--package=tenon-cli@${version}`, "--", "tenon-cli", ...process.argv.slice(2)], { stdio: "inherit" });
  // npm passes signals on to the command. Ctrl+C at a terminal reaches npm without this process, which only must not end before it.
  for (const signal of SIGNALS) process.on(signal, () => void (signal === "SIGINT" && process.stdin.isTTY ? undefined : npm.kill(signal)));
  npm.on("error", (error) => {
    console.error(`The command is the package tenon-cli, and npm, which would run it, does not start: ${error.message}`);
    process.exitCode = 1;
  });
  npm.on("exit", (code, signal) => {
    for (const name of SIGNALS) process.removeAllListeners(name);
    if (signal === null) process.exitCode = code ?? 1;
    else process.kill(process.pid, signal);
  });
}
