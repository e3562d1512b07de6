// A server that is not a JavaScript module: a program of another language, started directly. Its CPU time and memory are read from
// /proc (all threads and children, in steps of 10 ms), so that figures mean the same as those of the other peers.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { OUT, track } from './proc.mjs';
import { tree } from './interleave.mjs';
import { freePort } from '../../scripts/free-port.mjs';

const isUp = port => new Promise(done => {
  const socket = connect(port, '127.0.0.1');
  socket.on('connect', () => (socket.destroy(), done(true)));
  socket.on('error', () => done(false));
});

/** User and system time in microseconds, and resident memory in bytes, of a process and all that it has started. */
export function usageOf(pid) {
  let user = 0, system = 0, rss = 0;
  for (const each of tree(pid)) {
    try {
      const stat = readFileSync(`/proc/${each}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      user += Number(fields[11]) * 10_000;
      system += Number(fields[12]) * 10_000;
      rss += Number(fields[21]) * 4096;
    } catch {} // it has ended since
  }
  return { user, system, rss };
}

let seq = 0;

export class ForeignProc {
  constructor(peer, spec, port) {
    mkdirSync(join(OUT, 'logs'), { recursive: true });
    this.logPath = join(OUT, 'logs', `foreign-${peer.id}-${process.pid}-${seq++}.log`);
    const log = openSync(this.logPath, 'w');
    const { command, args } = peer.foreign(spec, port);
    const pipes = spec.kind === 'stdio';
    this.port = port;
    this.child = spawn(command, args, { env: { ...process.env, NODE_OPTIONS: '' }, stdio: [pipes ? 'pipe' : 'ignore', pipes ? 'pipe' : log, log] });
    closeSync(log);
    track(this);
    this.child.once('error', error => (this.failure = error.message));
  }
  log() {
    try {
      return this.failure ?? readFileSync(this.logPath, 'utf8').slice(-2000);
    } catch {
      return '';
    }
  }
  async ask() {
    const { user, system, rss } = usageOf(this.child.pid);
    return { user, system, rss, heapUsed: NaN };
  }
  stop() {
    if (this.failure || this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve();
    return new Promise(done => {
      this.child.once('exit', done);
      this.child.kill('SIGKILL');
    });
  }
}

/** Starts the program of a peer; resolves, if it serves HTTP, when it listens. It has 60 seconds. */
export async function startForeign(peer, spec) {
  if (spec.kind === 'stdio') return new ForeignProc(peer, spec);
  const port = await freePort();
  const proc = new ForeignProc(peer, spec, port);
  const end = performance.now() + 60_000;
  while (!(await isUp(port))) {
    const { exitCode } = proc.child;
    if (proc.failure || exitCode !== null || performance.now() > end) {
      await proc.stop();
      throw new Error(`${peer.id} ${exitCode === null ? 'does not listen' : `ended (${exitCode})`}: ${proc.log()}`);
    }
    await new Promise(r => setTimeout(r, 50));
  }
  return proc;
}
