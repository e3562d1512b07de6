// Builds the programs of other languages, each once for its source and versions: npm run bench:languages -- --install
// One build at a time, as each takes a core. What a language lacks is said with the command that brings it, and that language is left out.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALLED, LANGUAGES, PROGRAMS, TABLE, TOOL_CHAINS } from './peers.mjs';

const inPrograms = folder => join(PROGRAMS, folder);

/** What is run for each language: command, arguments, folder. */
const BUILDS = {
  go: [
    ['go', ['build', '-o', `${INSTALLED}go-official`, './official'], inPrograms('go')],
    ['go', ['build', '-o', `${INSTALLED}mcp-go`, './mcpgo'], inPrograms('go')]
  ],
  rust: [['cargo', ['build', '--release', '--locked', '--target-dir', `${INSTALLED}rust`], inPrograms('rust')]],
  java: [['mvn', ['-q', '-B', 'compile', 'dependency:copy-dependencies'], inPrograms('java')]],
  quarkus: [['mvn', ['-q', '-B', 'package'], inPrograms('quarkus')]],
  python: [
    ['python3', ['-m', 'venv', `${INSTALLED}python`], INSTALLED],
    [`${INSTALLED}python/bin/pip`, ['install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'], inPrograms('python')]
  ]
};

const sources = folder => readdirSync(folder, { withFileTypes: true, recursive: true }).filter(entry => entry.isFile() && !entry.parentPath.includes('__pycache__'));

/** A name for the sources of a language as they are now, and for the versions of what builds them. */
function fingerprint(language) {
  const hash = createHash('sha256');
  for (const [command, ...args] of TOOL_CHAINS[language].needs) hash.update(spawnSync(command, args, { encoding: 'utf8' }).stdout ?? '');
  const files = sources(inPrograms(language)).map(({ parentPath, name }) => join(parentPath, name)).sort();
  for (const file of files) hash.update(file.slice(PROGRAMS.length)).update(readFileSync(file));
  return hash.digest('hex');
}

const stampOf = language => join(INSTALLED, `${language}.installed`);

/** Why the programs of a language cannot run here, with the command that helps; undefined if they can. */
export function missing(language) {
  const { needs, bring } = TOOL_CHAINS[language];
  const lacks = needs.find(([command, ...args]) => spawnSync(command, args, { stdio: 'ignore' }).status !== 0);
  if (lacks !== undefined) return `${lacks[0]} is not there: ${bring}`;
  if (!existsSync(stampOf(language)) || readFileSync(stampOf(language), 'utf8') !== fingerprint(language)) return 'it is not built: npm run bench:languages -- --install';
  return undefined;
}

/** The first line of what a tool chain says of its version. */
export function toolChainVersion(language) {
  const [command, ...args] = TOOL_CHAINS[language].needs[0];
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return `${stdout}${stderr}`.split('\n')[0].replace(/^go version /, '').replace(/ linux\/.*$/, '').replace(/ \(.*$/, '');
}

/** The peers that can run, and why the others cannot. */
export function ready(ids = LANGUAGES) {
  const reasons = Object.fromEntries([...new Set(ids.map(id => TABLE[id].language))].map(language => [language, missing(language)]));
  const leftOut = ids.filter(id => reasons[TABLE[id].language] !== undefined).map(id => ({ id, why: reasons[TABLE[id].language] }));
  return { ids: ids.filter(id => reasons[TABLE[id].language] === undefined), leftOut };
}

/** Builds what is not built yet. Returns the languages that could not be. */
export function install(languages = Object.keys(TOOL_CHAINS), log = console.error) {
  mkdirSync(INSTALLED, { recursive: true });
  return languages.filter(language => {
    const why = missing(language);
    if (why === undefined) return void log(`${language}: is there`);
    if (!why.startsWith('it is not built')) {
      log(`${language}: left out, ${why}`);
      return true;
    }
    const started = performance.now();
    log(`${language}: builds${language === 'rust' ? ' (four minutes on a quiet core)' : ''} …`);
    for (const [command, args, cwd] of BUILDS[language]) {
      // One job at a time: the build is to leave a core to others.
      const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, CARGO_BUILD_JOBS: process.env.CARGO_BUILD_JOBS ?? '1' } });
      if (status !== 0) {
        log(`${language}: left out, ${command} ${args[0]} failed\n${error?.message ?? `${stdout}${stderr}`.slice(-2000)}`);
        return true;
      }
    }
    writeFileSync(stampOf(language), fingerprint(language));
    log(`${language}: built in ${((performance.now() - started) / 1000).toFixed(0)} s`);
    return false;
  });
}
