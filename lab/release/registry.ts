/**
 * A registry of npm on loopback, as others run one: verdaccio, with what it does not have from the registry that npm is set to.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../scripts/free-port.mjs";

const home = fileURLToPath(new URL("registry/", import.meta.url));

export interface Registry {
  readonly url: string;
  /** Variables with which npm uses it, and no setting or cache of this machine that names another one. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Only packages of this repository are published to it; it gets all others from elsewhere, and keeps them in `folder`. */
const configOf = (folder: string, elsewhere: string): string => `
storage: ${join(folder, "storage")}
auth: { htpasswd: { file: ${join(folder, "htpasswd")} } }
uplinks: { elsewhere: { url: ${JSON.stringify(elsewhere)}, timeout: 60s } }
packages:
  tenon: { access: $all, publish: $all }
  create-tenon: { access: $all, publish: $all }
  tenon-cli: { access: $all, publish: $all }
  tenon-sdk-v1: { access: $all, publish: $all }
  "**": { access: $all, publish: $authenticated, proxy: elsewhere }
max_body_size: 50mb
web: { enable: false }
log: { type: stdout, format: json, level: warn }
`;

/** Starts it, and resolves when it responds. */
export async function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const elsewhere = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim();
  const config = join(folder, "config.yaml");
  writeFileSync(config, configOf(folder, elsewhere));
  const url = `http://127.0.0.1:${await freePort()}`;
  const main = createRequire(join(home, "package.json")).resolve("verdaccio/bin/verdaccio");
  const child = spawn(process.execPath, [main, "--config", config, "--listen", url], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "exit");
  const close = async (): Promise<void> => {
    child.kill("SIGKILL"); // it would wait for connections that npm keeps open, and its folder is thrown away
    await ended;
  };
  if (!(await responds(url, () => child.exitCode !== null))) {
    await close();
    throw new Error(`the registry does not respond:\n${said}`);
  }
  // npm publishes with a token only, whatever the registry asks for.
  const userconfig = join(folder, "npmrc");
  writeFileSync(userconfig, `registry=${url}/\n//${new URL(url).host}/:_authToken=anyone\n`);
  const env = {
    npm_config_userconfig: userconfig,
    npm_config_registry: `${url}/`,
    npm_config_cache: join(folder, "npm"),
    npm_config_prefer_offline: "false",
  };
  return { url, env, close };
}

async function responds(url: string, hasEnded: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 60_000; Date.now() < end && !hasEnded();) {
    const response = await fetch(`${url}/-/ping`).catch(() => undefined);
    if (response?.ok) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}
