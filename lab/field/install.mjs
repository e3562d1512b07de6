// Brings the servers and clients of field.json to this machine: each into a folder of its own below `lab/field/installed`, which
// git ignores. One that is there in its version is left alone. Scripts of packages are not run. A name that begins with `python:`
// or `go:` is installed by the tools of that language, all others by npm.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const folders = fileURLToPath(new URL("installed/", import.meta.url));

/** The folder of a package: `@mui/mcp` has its files in `installed/mui-mcp`. */
export const folderOf = (name) => join(folders, name.replace(/^@/, "").replaceAll(/[^\w.-]/g, "-"));

const specsOf = ({ package: name, version, with: others = [] }) => [`${name}@${version}`, ...others];

/** Whether a package is there, with what it needs, in the versions that are asked for. */
export function isInstalled(one) {
  const file = join(folderOf(one.package), "installed.json");
  return existsSync(file) && readFileSync(file, "utf8") === JSON.stringify(specsOf(one));
}

/** The client in Go is a program of ours that is compiled with the package. */
function goCommands(module, version, folder) {
  copyFileSync(new URL("clients/drivers/client.go", import.meta.url), join(folder, "main.go"));
  return [
    ["go", ["mod", "init", "field"]],
    ["go", ["get", `${module}@v${version}`]],
    ["go", ["mod", "tidy"]],
    ["go", ["build", "-o", "client", "."]],
  ];
}

/** What is run in the folder of a package, which is empty. */
function commandsOf(one, folder) {
  const [language, name] = one.package.split(":");
  if (language === "go") return goCommands(name, one.version, folder);
  const pip = join(folder, "venv/bin/pip");
  if (language === "python")
    return [
      ["python3", ["-m", "venv", "venv"]],
      [pip, ["install", "--quiet", `${name}==${one.version}`]],
    ];
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const flags = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--prefer-offline"];
  return [["npm", ["install", ...flags, ...specsOf(one)]]];
}

/** Installs one package, from an empty folder. Throws what its installer says if that fails. */
async function install(one, signal) {
  const folder = folderOf(one.package);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [command, args] of commandsOf(one, folder)) {
    await run(command, args, { cwd: folder, signal, timeout: 600_000, maxBuffer: 1 << 26 });
  }
  writeFileSync(join(folder, "installed.json"), JSON.stringify(specsOf(one)));
}

/** Installs all that are missing, one after the other. Says what could not be installed. */
export async function installAll(all, say, signal) {
  for (const [index, one] of all.entries()) {
    if (isInstalled(one) || signal.aborted) continue;
    say(`[${index + 1}/${all.length}] installing ${one.package} ${one.version}`);
    await install(one, signal).catch((error) => {
      const lines = String(error.stderr || error.message).split("\n");
      say(`  failed: ${lines.slice(0, 6).join("\n  ")}`);
    });
  }
}
