/**
 * Compiles a program against the packages that are installed in a folder, with the `tsconfig` that the documentation gives.
 *
 * Security: the program is compiled and never run. The compiler reads the files that it imports, so this is for the user's own machine only.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { usualTsconfig } from "../init/templates.ts";

export interface CodeFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export class NoCompilerError extends Error {
  override name = "NoCompilerError";
}

const PROGRAM = "program.ts";
/** Milliseconds for the compiler. */
const COMPILE_TIMEOUT = 60_000;

/** @param folder of a project with `typescript` and Tenon installed @throws NoCompilerError */
export async function checkCode(code: string, folder: string, signal: AbortSignal): Promise<readonly CodeFault[]> {
  const compiler = await compilerIn(folder);
  const cache = join(folder, "node_modules", ".cache");
  await mkdir(cache, { recursive: true });
  const place = await mkdtemp(join(cache, "tenon-check-"));
  try {
    // A program without imports is a module too.
    await writeFile(join(place, PROGRAM), /^(?:import|export) /m.test(code) ? code : `${code}\nexport {};\n`);
    await writeFile(join(place, "package.json"), '{ "type": "module" }');
    await writeFile(join(place, "tsconfig.json"), usualTsconfig());
    return faultsIn(await compile(compiler, place, signal));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function compilerIn(folder: string): Promise<string> {
  try {
    const manifest = createRequire(join(folder, "package.json")).resolve("typescript/package.json");
    const { bin } = JSON.parse(await readFile(manifest, "utf8")) as { bin: { tsc: string } }; // the compiler's own file
    return join(dirname(manifest), bin.tsc);
  } catch (cause) {
    throw new NoCompilerError(`No TypeScript is installed in ${folder}. Run there: npm install --save-dev typescript @types/node`, {
      cause,
    });
  }
}

function compile(compiler: string, place: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // "." and not the place: the compiler names the files below where it runs, which is another path if the place is behind a link.
    const args = [compiler, "-p", ".", "--pretty", "false"];
    execFile(process.execPath, args, { cwd: place, signal, timeout: COMPILE_TIMEOUT, maxBuffer: 4 << 20 }, (error, stdout) => {
      if (error !== null && typeof error.code !== "number") reject(error);
      else resolve(stdout); // it ends with a code if there are faults
    });
  });
}

/** What continues a message on further lines belongs to it. A message about another file names it. */
function faultsIn(printed: string): CodeFault[] {
  const faults: CodeFault[] = [];
  for (const line of printed.split("\n")) {
    const [, file, at, column, message] = /^(\S.*)\((\d+),(\d+)\): error (.+)$/.exec(line) ?? [];
    const about = file === PROGRAM ? "" : `${file}: `;
    if (message !== undefined) faults.push({ line: Number(at), column: Number(column), message: `${about}${message}` });
    else if (/^\s+\S/.test(line) && faults.length > 0) {
      const last = faults.pop()!; // there is one
      faults.push({ ...last, message: `${last.message}\n${line.trim()}` });
    } else if (/^error /.test(line)) faults.push({ line: 0, column: 0, message: line });
  }
  return faults;
}
