// Publishing: each tarball that the registry does not have. So a release that was interrupted is run again, and goes on.
import { spawnSync } from "node:child_process";

/** Whether this is a job that can prove where a package was built: one with `id-token: write` of a service that npm knows. */
export const canProve = (env = process.env) => env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined || env.SIGSTORE_ID_TOKEN !== undefined;

/** The command that publishes a tarball. */
export function publishCommand(tarball, { registry, provenance }) {
  const where = registry === undefined ? [] : ["--registry", registry];
  return ["npm", "publish", tarball, "--access", "public", ...(provenance ? ["--provenance"] : []), ...where];
}

/** Returns "published", or "was there already". @throws Error that says what to do */
export function publish(name, version, tarball, options) {
  if (isPublished(name, version, options)) return "was there already";
  const [command, ...args] = publishCommand(tarball, options);
  const { status, stdout, stderr } = npm(command, args);
  if (status !== 0) throw new Error(`npm publish failed for ${name}:\n${stdout}${stderr}\n${remedyFor(stderr)}`);
  return "published";
}

function remedyFor(said) {
  const again = "Then run the same command again: it goes on with what is not published yet.";
  if (/ENEEDAUTH|E401|E403/.test(said)) return `Log in with npm login, or run the workflow "release", which npm trusts. ${again}`;
  if (/provenance/i.test(said)) return `Provenance needs a job with "id-token: write". ${again}`;
  return again;
}

function isPublished(name, version, { registry }) {
  const { status, stdout } = npm("npm", [
    "view",
    `${name}@${version}`,
    "version",
    ...(registry === undefined ? [] : ["--registry", registry]),
  ]);
  return status === 0 && stdout.trim() === version;
}

const npm = (command, args) => spawnSync(command, args, { encoding: "utf8", shell: process.platform === "win32" });
