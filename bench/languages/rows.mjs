// What is measured of a server in any language: calls, memory, and start. A peer that fails is named and left out of that row; the others go on.
import { startHttp, openHttp, verifyHttp, startStdio, verifyStdio } from '../lib/session.mjs';
import { closedLoop, post } from '../lib/http-driver.mjs';
import { stdioLoop } from '../lib/stdio-driver.mjs';
import { interleave, row, warmUp } from '../lib/interleave.mjs';
import { usageOf } from '../lib/foreign.mjs';
import { addCall, addExpect } from '../lib/workload.mjs';
import { openSessions } from '../scenarios/memory.mjs';
import { firstList } from '../scenarios/coldstart.mjs';
import { median } from '../lib/stats.mjs';

const tools = { names: ['add', 'echo'] };

export const WAYS = [
  { id: 'stdio-2025', kind: 'stdio', era: '2025', inFlight: [64, 1] },
  { id: 'stdio-2026', kind: 'stdio', era: '2026', inFlight: [64, 1] },
  ...['2025', '2026'].flatMap(era => ['json', 'sse'].map(response => ({ id: `http-${era}-${response}`, kind: 'http', era, response, inFlight: [64, 16, 1] })))
];

/** Fails what takes too long, so that a server that hangs does not hold up the others. */
async function within(seconds, what, promise) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`${what}: no end after ${seconds} s`)), seconds * 1000)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

let base = 0;
const nextBase = () => (base = (base + 1e6) % 1e9);

/** A server of a peer, right answers seen, with the load that a way puts on it. */
async function open(way, peer) {
  const spec = { era: way.era, response: way.response, tools };
  const proc = await (way.kind === 'stdio' ? startStdio(peer.id, spec) : startHttp(peer.id, spec));
  try {
    if (way.kind === 'stdio') {
      await within(60, 'the first answers', verifyStdio(proc, peer, spec));
      const load = (inflight, durationMs) => {
        const b = nextBase();
        return stdioLoop(proc.conn, { inflight, durationMs, next: (id, k) => addCall(way.era, id, b + k), ok: (line, k) => line.includes(addExpect(b + k)) && !line.includes('"error"') });
      };
      return { peer, proc, load, prepare: async () => {}, close: () => proc.stop() };
    }
    await within(60, 'the first answers', verifyHttp(proc, peer, spec));
    let conns = [];
    // Opened right before they are used: servers close connections that have been idle while the others start.
    const prepare = async inFlight => {
      conns.forEach(conn => conn.destroy());
      conns = await within(60, `${inFlight} connections`, Promise.all(Array.from({ length: inFlight }, () => openHttp(proc, peer, spec))));
    };
    const load = (inFlight, durationMs) => {
      const b = nextBase();
      return closedLoop(conns, {
        durationMs,
        next: (conn, n) => post(conn.callHead, addCall(way.era, n + 1000, b + n)),
        ok: (conn, n, status, body) => status === 200 && body.includes(addExpect(b + n)) && body.includes(`"id":${n + 1000}`)
      });
    };
    const close = () => {
      conns.forEach(conn => conn.destroy());
      return proc.stop();
    };
    return { peer, proc, load, prepare, close };
  } catch (error) {
    await proc.stop();
    throw error;
  }
}

/** Calls a second, CPU time of a call, and latencies of one way, for each peer that has it. */
export async function calls(way, { peers, cfg, log }) {
  const able = peers.filter(({ supports }) => (way.kind === 'stdio' ? supports.stdio.includes(way.era) : supports.http[way.era].includes(way.response)));
  const opened = [], failed = [];
  const fail = (peer, error) => {
    log(`  ! ${peer.label}: ${error.message.slice(0, 200)}`);
    failed.push({ peer: peer.id, error: error.message.slice(0, 300) });
  };
  for (const peer of able) {
    try {
      const one = await within(90, 'its start', open(way, peer));
      try {
        await one.prepare(16);
        await within(60, 'warming up', warmUp(ms => one.load(16, ms), cfg));
        opened.push(one);
      } catch (error) {
        fail(peer, error);
        await one.close();
      }
    } catch (error) {
      fail(peer, error);
    }
  }
  const rows = [];
  for (const inFlight of way.inFlight) {
    // One that failed has replies outstanding: it is not asked again.
    const going = [];
    for (const one of opened.filter(({ peer }) => !failed.some(each => each.peer === peer.id))) {
      try {
        await one.prepare(inFlight);
        await within(30, 'a round', one.load(inFlight, cfg.ms)); // not counted: a row begins as warm as it goes on
        going.push(one);
      } catch (error) {
        fail(one.peer, error);
      }
    }
    const entries = going.map(({ peer, proc, load }) => ({ peer: peer.id, run: () => within(30, 'a round', load(inFlight, cfg.ms)), cpu: async () => usageOf(proc.child.pid), pids: [proc.child.pid] }));
    await interleave(entries, cfg.rounds, { log });
    for (const entry of entries) {
      const { metrics, driverBound, failed: why } = row(way.id, '', entry, { rps: 'high', cpuUs: 'low', p50: 'low', p99: 'low' });
      if (why !== undefined) {
        failed.push({ peer: entry.peer, error: why });
        continue;
      }
      // One sum over all rounds: /proc counts in steps of 10 ms.
      const replies = entry.samples.reduce((sum, { replies }) => sum + replies, 0);
      const cpuUs = entry.samples.reduce((sum, sample) => sum + sample.cpuUs * sample.replies, 0) / replies;
      rows.push({ way: way.id, inFlight, peer: entry.peer, perSecond: metrics.rps.median, perSecondFrom: metrics.rps.min, perSecondTo: metrics.rps.max, cpuUs, p50: metrics.p50.median, p99: metrics.p99.median, ...(driverBound && { driverBound }) });
    }
  }
  for (const one of opened) await one.close();
  return { rows, failed };
}

const settled = () => new Promise(done => setTimeout(done, 500));

/** Resident memory of an HTTP server after its first answers, and with 1,000 idle sessions of 2025-11-25; medians of some starts. */
export async function memory({ peers, cfg, log }) {
  const rows = [], failed = [];
  for (const peer of peers) {
    const response = ['sse', 'json'].find(mode => peer.supports.http['2025'].includes(mode));
    if (response === undefined) continue;
    const spec = { era: '2025', response, tools };
    const seen = { start: [], sessions: [] };
    let proc;
    try {
      for (let round = 0; round < cfg.memoryRounds; round++) {
        proc = await startHttp(peer.id, spec);
        await within(60, 'the first answers', verifyHttp(proc, peer, spec));
        await settled();
        seen.start.push(usageOf(proc.child.pid).rss);
        await within(120, 'a thousand sessions', openSessions(proc, peer, spec, 1000));
        await settled();
        seen.sessions.push(usageOf(proc.child.pid).rss);
        await proc.stop();
      }
      rows.push({ peer: peer.id, start: median(seen.start), sessions: median(seen.sessions) });
    } catch (error) {
      log(`  ! ${peer.label}: ${error.message.slice(0, 200)}`);
      failed.push({ peer: peer.id, error: error.message.slice(0, 300) });
      await proc?.stop();
    }
  }
  return { rows, failed };
}

/** Milliseconds from the start of the process to the first right list of tools over stdio. */
export async function start({ peers, cfg, log }) {
  const entries = peers.filter(({ supports }) => supports.stdio.includes('2025')).map(peer => ({ peer: peer.id, run: () => firstList(peer, '2025') }));
  await interleave(entries, cfg.startRounds, { log });
  const done = entries.filter(({ failed }) => failed === undefined);
  return {
    rows: done.map(({ peer, samples }) => ({ peer, ms: median(samples.map(({ ms }) => ms)) })),
    failed: entries.filter(({ failed }) => failed !== undefined).map(({ peer, failed }) => ({ peer, error: failed }))
  };
}
