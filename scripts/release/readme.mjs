// The programs of the README, run as a reader runs them: in an empty folder, with the packages that were made.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Milliseconds for one command. It ends what hangs. */
const LIMIT = 300_000;

/** Installs packages in an empty folder and runs the README's programs there. Returns what was done, as a sentence. @throws Error */
export function tryReadme(root, packages, env = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-readme-")));
  try {
    sh(folder, "npm init -y && npm pkg set type=module", env);
    sh(folder, `npm install --no-audit --no-fund --prefer-offline ${packages.join(" ")} zod tsx`, env);
    const programs = programsOf(readFileSync(join(root, "README.md"), "utf8"));
    for (const [index, { name, text, commands }] of programs.entries()) {
      const file = name ?? `program-${index + 1}.ts`;
      writeFileSync(join(folder, file), text);
      for (const { command = `npx tsx ${file}`, output } of commands) expectOutput(folder, command, output, env);
    }
    return `${programs.length} programs of the README print what it says`;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** `{ name, text, commands }` of each block of TypeScript: the commands whose output follows it, or the program itself. */
function programsOf(markdown) {
  const programs = [];
  for (const [, info, text] of markdown.matchAll(/^```(\S.*)\n([^]*?)^```$/gm)) {
    if (/^ts\b/.test(info)) programs.push({ name: /\[(.+)\]/.exec(info)?.[1], text, commands: [] });
    if (info === "text output") programs.at(-1).commands.push({ output: text });
    if (info === "console output") {
      for (const part of text.split(/^\$ /m).slice(1)) {
        const [command, ...lines] = part.split("\n");
        programs.at(-1).commands.push({ command, output: lines.join("\n") });
      }
    }
  }
  return programs;
}

function expectOutput(folder, command, output, env) {
  const printed = sh(folder, command, env);
  if (printed.trimEnd() !== output.trimEnd())
    throw new Error(`"${command}" prints something else than the README says:\n${printed}\ninstead of\n${output}`);
}

function sh(cwd, command, env) {
  mkdirSync(cwd, { recursive: true });
  const { status, stdout, stderr } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: "utf8",
    timeout: LIMIT,
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`"${command}" failed in a new folder:\n${stdout}${stderr}`);
  return stdout;
}
