// The engines of stores that are installed here, each a process of its own on a free port with its files in a folder that is deleted afterwards.
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf } from '../../scripts/setup/find.mjs';
import { freePort } from '../../scripts/free-port.mjs';

const host = '127.0.0.1';
/** What starts each engine: `[program, arguments, what it prints when it is ready, its URL]`. */
const ENGINES = {
  redis: (program, folder, port) => [program, ['--port', String(port), '--bind', host, '--dir', folder, '--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''], /Ready to accept connections/, `redis://${host}:${port}`],
  postgres: (program, folder, port, user) => {
    execFileSync(programOf('postgres', 'initdb'), ['-D', join(folder, 'data'), '-U', 'tenon', '-A', 'trust', '--no-sync', '-E', 'UTF8'], { ...user, cwd: folder, stdio: 'ignore' });
    return [program, ['-D', join(folder, 'data'), '-p', String(port), '-h', host, '-k', folder], /ready to accept connections/, `postgres://tenon@${host}:${port}/postgres`];
  },
  nats: (program, folder, port) => {
    const config = join(folder, 'nats.conf');
    writeFileSync(config, `host: "${host}"\nport: ${port}\njetstream { store_dir: "${folder}" }\n`);
    return [program, ['-c', config], /Server is ready/, `nats://${host}:${port}`];
  }
};

/** @returns the URL of a new engine and what ends it; undefined if it is not installed here */
export async function startEngine(name) {
  const program = programOf(name);
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), `tenon-bench-${name}-`));
  // PostgreSQL does not run as root.
  const user = name === 'postgres' && process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  if (user.uid) chownSync(folder, user.uid, user.gid);
  const [command, args, ready, url] = ENGINES[name](program, folder, await freePort(), user);
  const child = spawn(command, args, { ...user, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise(r => child.once('exit', r));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  void ended.then(() => process.off('exit', kill));
  let said = '';
  const isReady = new Promise(r => {
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => ready.test((said += said.length < 1e5 ? text : '')) && r(true));
  });
  if (await Promise.race([isReady, ended.then(() => false)])) return { name, url, stop };
  await stop();
  throw new Error(`${name} ended: ${said.slice(-1000)}`);
}
