// Servers on every core of the machine, driven by wrk: `npm run bench:languages -- --every-core` (docs/serving/workers.md). Each peer is asked alone and in
// turns with the others. CPU time is that of all processes of a server.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openHttp, verifyHttp } from '../lib/session.mjs';
import { startForeign, usageOf } from '../lib/foreign.mjs';
import { drive } from '../lib/wrk.mjs';
import { post } from '../lib/http-driver.mjs';
import { allCpuMs, noise } from '../lib/interleave.mjs';
import { addCall, addExpect } from '../lib/workload.mjs';
import { median } from '../lib/stats.mjs';
import { WAYS } from './rows.mjs';

const PROGRAM = fileURLToPath(new URL('../roles/every-core.mjs', import.meta.url));
/** Who can use every core: a program of Python is one process. */
export const EVERY_CORE = ['raw', 'tenon', 'rmcp', 'mcp-go', 'go-official', 'java-official', 'quarkus'];
const IN_FLIGHT = [16, 64];
/** A window whose replies have another size than those that were looked at has other replies. */
const SAME_SIZE = 0.05;
const OPERAND = 7;
const REQUESTS = 512;

/** A peer of Node in as many processes as there are cores. Others are programs that use all cores by themselves. */
const onEveryCore = peer => (peer.foreign ? peer : { ...peer, foreign: ({ response, era }, port) => ({ command: process.execPath, args: [PROGRAM, peer.id, String(port), response, era] }) });

/** The requests of a way by turns: a server may refuse an id that is in flight in the same session. */
const requestsOf = (way, heads) => Array.from({ length: REQUESTS }, (_, n) => post(heads[n % heads.length], addCall(way.era, n + 1, OPERAND)));

/** Loads a server until its code is compiled, in each of its processes, and looks at every reply. Resolves with the size of a reply. */
async function warmed(proc, load, cfg) {
  const spent = () => usageOf(proc.child.pid).user / 1000;
  const [from, began] = [spent(), performance.now()];
  for (let calls = 0; ; ) {
    const { bad, replies, bytesEach } = await drive({ ...load, inFlight: IN_FLIGHT[0], seconds: 2, checks: true });
    if (bad > 0) throw new Error(`${bad} of ${replies} replies were wrong`);
    calls += replies;
    if (calls > cfg.warmCalls * availableParallelism() || spent() - from > cfg.warmMaxMs * availableParallelism() || performance.now() - began > 60_000) return bytesEach;
  }
}

/** A server that has answered right, with the load that a way puts on it: with sessions, one for each of 64 connections. */
async function open(way, peer, cfg) {
  const spec = { era: way.era, response: way.response };
  const proc = await startForeign(peer, { kind: 'http', ...spec });
  try {
    await verifyHttp(proc, peer, spec);
    const opened = await Promise.all(Array.from({ length: way.era === '2025' ? Math.max(...IN_FLIGHT) : 1 }, () => openHttp(proc, peer, spec)));
    opened.forEach(conn => conn.destroy());
    const load = { port: proc.port, requests: requestsOf(way, opened.map(({ callHead }) => callHead)), expected: addExpect(OPERAND) };
    return { peer, proc, load, bytesEach: await warmed(proc, load, cfg) };
  } catch (error) {
    await proc.stop();
    throw error;
  }
}

async function window({ proc, load, bytesEach }, inFlight, seconds) {
  const all = allCpuMs();
  const before = usageOf(proc.child.pid);
  const seen = await drive({ ...load, inFlight, seconds });
  const after = usageOf(proc.child.pid);
  const serverUs = after.user + after.system - before.user - before.system;
  noise.othersMs += allCpuMs() - all - (serverUs + seen.driverUs) / 1000;
  noise.windowMs += seconds * 1000;
  if (seen.bad > 0 || Math.abs(seen.bytesEach / bytesEach - 1) > SAME_SIZE) throw new Error(`${seen.bad} of ${seen.replies} replies failed, ${seen.bytesEach.toFixed(0)} bytes each instead of ${bytesEach.toFixed(0)}`);
  return { ...seen, serverUs };
}

/** Calls a second and CPU time of a call, of the server and of wrk, for one way and each number of connections. */
export async function everyCore(way, { peers, cfg, log }) {
  const rows = [], failed = [], opened = [];
  const fail = (peer, error) => {
    log(`  ! ${peer.label}: ${error.message.slice(0, 200)}`);
    failed.push({ peer: peer.id, error: error.message.slice(0, 300) });
  };
  for (const peer of peers.filter(({ supports }) => supports.http[way.era].includes(way.response)).map(onEveryCore)) await open(way, peer, cfg).then(one => opened.push(one), error => fail(peer, error));
  for (const inFlight of IN_FLIGHT) {
    const windows = new Map(opened.map(one => [one, []]));
    for (let round = 0; round < cfg.rounds; round++)
      for (const [one, seen] of windows)
        await window(one, inFlight, cfg.seconds).then(each => seen.push(each), error => (fail(one.peer, error), windows.delete(one)));
    for (const [{ peer }, seen] of windows) {
      const sum = member => seen.reduce((total, each) => total + each[member], 0);
      const of = member => median(seen.map(each => each[member]));
      rows.push({ way: way.id, inFlight, peer: peer.id, perSecond: of('perSecond'), cpuUs: sum('serverUs') / sum('replies'), driverUs: sum('driverUs') / sum('replies'), p50: of('p50'), p99: of('p99') });
    }
  }
  for (const { proc } of opened) await proc.stop();
  return { rows, failed };
}
