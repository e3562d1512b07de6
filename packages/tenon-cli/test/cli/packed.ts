/** Packages as users get them: packed from what was built, and installed in a folder outside the project. Needs a build. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The repository. */
export const root: string = fileURLToPath(new URL("../../../..", import.meta.url));
/** The packages in it, by their names. */
export const packageFolder = (name: "tenon" | "tenon-cli" | "create-tenon"): string => join(root, "packages", name);
const run = promisify(execFile);

/** A folder outside the project, and what removes it. */
export function outsideFolder(): { path: string; remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "tenon-packed-")));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Packs a package of the repository as it is published. Resolves to the tarball. */
export async function pack(name: string, to: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join(root, "scripts/pack.mjs"), "--only", name, "--to", to]);
  return stdout.trim();
}

/** Links packages of this repository into a folder, as if they were installed. */
export function linkPackages(folder: string, ...names: readonly ("tenon" | "tenon-cli")[]): void {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of names) symlinkSync(packageFolder(name), join(folder, "node_modules", name));
}

/** Installs what a folder's package.json names. */
export async function install(folder: string): Promise<void> {
  await run("npm", ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
}

/** Writes files by their paths. Objects become JSON. */
export function write(folder: string, files: { readonly [path: string]: string | object }): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
}

export const SERVER = `
import { McpServer } from "tenon/server";
export const server = new McpServer({ name: "weather", title: "Weather", version: "1.2.3" });
const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
server.tool("forecast", { description: "Tomorrow's weather", input }, ({ city }) => {
  return \`Sunny in \${city}, \${process.env["API_KEY"] ?? "no key"}\`;
});
`;

export const PACKAGE: { readonly [member: string]: unknown } = {
  name: "@acme/weather",
  version: "1.2.3",
  description: "Weather for models",
  author: "Ann <ann@example.com> (https://example.com)",
  license: "MIT",
  type: "module",
  files: ["src"],
};
