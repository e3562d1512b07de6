// A call with something added, beside the same call without it: each way is measured in turns with the plain call of its group, and `share` is the CPU
// time of the plain call divided by that of the way.
import { startHttp, openHttp, verifyHttp } from '../lib/session.mjs';
import { HttpConn, closedLoop, header, messages, post, postHead } from '../lib/http-driver.mjs';
import { startEngine } from '../lib/engines.mjs';
import { Proc } from '../lib/proc.mjs';
import { gate, interleave, row, warmUp } from '../lib/interleave.mjs';
import { addCall, addExpect, initializeBody, initializedBody, requestBody } from '../lib/workload.mjs';
import { stdioServer } from './gateway.mjs';

const tools = { names: ['add', 'echo'] };
const IN_FLIGHT = 16;
/** A gateway is a server and a client in one process: it is warmed up for longer. */
const GATEWAY_WARM = { warmCalls: 30000, warmMaxMs: 12000 };

let base = 0;
/** 16 connections, of which each has a call in flight. `next(id, n)` is a request that adds n and a million. */
function loop(conns, durationMs, next) {
  const b = (base = (base + 1e6) % 1e9);
  return closedLoop(conns, {
    durationMs,
    next: (conn, n) => post(conn.callHead, next(n + 1000, b + n)),
    ok: (conn, n, status, body) => status === 200 && body.includes(addExpect(b + n)) && body.includes(`"id":${n + 1000}`)
  });
}
const cpu = proc => () => proc.ask('cpu');
const entryOf = (peer, proc, load) => ({ peer: peer.id, proc, load, cpu: cpu(proc), pids: [proc.child.pid] });

/** A server over HTTP. */
async function overHttp(peer, era, way) {
  const spec = { era, response: 'json', tools, ...way };
  const proc = await startHttp(peer.id, spec);
  await verifyHttp(proc, peer, spec);
  const conns = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openHttp(proc, peer, spec)));
  return entryOf(peer, proc, ms => loop(conns, ms, (id, n) => addCall(era, id, n)));
}

/** A client and its servers in one process. */
async function inProcess(peer, way) {
  const proc = new Proc('inprocess', { peer: peer.id, era: '2026', tools, ...way });
  await proc.ready;
  const load = ms => proc.ask('run', { ms, inflight: IN_FLIGHT, least: gate.leastCalls });
  return { peer: peer.id, proc, load, pids: [proc.child.pid] };
}

/** A gateway with HTTP in front, and the raw server as a program behind: what that costs is not counted. */
async function throughGateway(peer, way) {
  const proc = new Proc('gateway', { peer: peer.id, front: 'http', port: 0, servers: { up: stdioServer('2025') }, ...way });
  await proc.ready;
  const { port, path, tool } = await proc.ask('info');
  const conns = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openGateway(port, path)));
  const next = (id, n) => requestBody('2025', id, 'tools/call', `"name":"${tool}","arguments":{"a":${n},"b":1000000}`);
  return { ...entryOf(peer, proc, ms => loop(conns, ms, next)), warm: GATEWAY_WARM };
}

async function openGateway(port, path) {
  const conn = await new HttpConn(port).connect();
  const { status, head, body } = await conn.roundTrip(post(postHead({ port, path }), initializeBody(1)));
  if (status !== 200) throw new Error(`initialize: ${status} ${body.slice(0, 300)}`);
  conn.callHead = postHead({ port, path, headers: { 'Mcp-Session-Id': header(head, 'mcp-session-id'), 'MCP-Protocol-Version': messages(body)[0].result.protocolVersion } });
  await conn.roundTrip(post(conn.callHead, initializedBody()));
  return conn;
}

/** `--ways task,memory` takes the ways whose names contain one of these; the plain call stays. */
function isWanted(name) {
  const i = process.argv.indexOf('--ways');
  return i < 0 || name === 'plain' || process.argv[i + 1].split(',').some(part => name.includes(part));
}

/** The first of a group is the plain call. */
const groupsOf = engines => [
  { variant: 'HTTP, era 2026', start: (peer, way) => overHttp(peer, '2026', way), ways: { plain: {}, 'bearer()': { way: 'bearer' }, 'otel(), no spans': { way: 'otel' }, 'otel(), a span a call': { way: 'otel', spans: true } } },
  { variant: 'HTTP, era 2025', start: (peer, way) => overHttp(peer, '2025', way), ways: { plain: {}, ...Object.fromEntries(engines.map(({ name, url }) => [`sessions in ${name}`, { way: 'store', engine: name, url }])) } },
  { variant: 'in process, era 2026', start: inProcess, ways: { plain: {}, 'a group of eight': { way: 'group' }, 'a task': { way: 'task' }, 'ctx.elicit': { way: 'elicit' } } },
  { variant: 'gateway', start: throughGateway, ways: { plain: {}, 'policy, pins, audit': { way: 'guarded' } } }
];

async function groupRows({ variant, start, ways }, { peers, cfg, log }) {
  const entries = [];
  try {
    for (const [name, way] of Object.entries(ways).filter(([name]) => isWanted(name))) {
      for (const peer of peers) {
        const e = { name, ...(await start(peer, way)) };
        e.run = () => e.load(cfg.ms);
        entries.push(e);
        await warmUp(e.load, { ...cfg, ...e.warm });
      }
    }
    await interleave(entries, cfg.rounds, { log });
    for (const e of entries) {
      const plain = entries.find(one => one.peer === e.peer);
      if (e !== plain) e.samples.forEach((s, r) => (s.share = plain.samples[r]?.cpuUs / s.cpuUs));
    }
    return entries.map(e => row('ways', `${variant}, ${e.name}`, e, { share: 'high', cpuUs: 'low', rps: 'high', p99: 'low' }));
  } finally {
    for (const { proc } of entries) await proc.stop();
  }
}

export default {
  id: 'ways',
  title: 'A call with something added, as a share of the same call without it (CPU time, 16 in flight)',
  extra: true,
  async run({ peers, cfg, log }) {
    const able = peers.filter(peer => peer.supports.ways);
    const wanted = cfg.engines ?? ['memory', 'pglite', 'redis', 'postgres', 'nats'];
    const started = await Promise.all(wanted.map(name => (['memory', 'pglite'].includes(name) ? { name } : startEngine(name))));
    const engines = started.filter(Boolean);
    try {
      const rows = [];
      for (const group of groupsOf(engines)) if (able.length > 0 && Object.keys(group.ways).some(name => name !== 'plain' && isWanted(name))) rows.push(...(await groupRows(group, { peers: able, cfg, log })));
      return rows;
    } finally {
      for (const { stop } of engines) await stop?.();
    }
  }
};
