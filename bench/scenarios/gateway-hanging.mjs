// What calls that hang at one server of a gateway do to the calls of another: the same gateway is measured without, with and again without
// them, in turns. The two measurements without them differ by the noise of the machine.
import { HttpConn, post, postHead } from '../lib/http-driver.mjs';
import { interleave, row, warmUp } from '../lib/interleave.mjs';
import { Proc } from '../lib/proc.mjs';
import { requestBody, V2026 } from '../lib/workload.mjs';

const era = '2026';
const tools = { names: ['add'] };
const HANGING = 64;
// One caller may use only half of a connection that others use too, so two hold all of it.
const CALLERS = ['127.0.0.1', '127.0.0.2'];
const CONCURRENCY = 16;
const VARIANTS = { without: 'no call hangs', with: `${HANGING} calls hang at another server`, again: 'no call hangs, once more' };

/** Resolves when that many calls hang at the server. */
async function untilHanging(proc, count) {
  while ((await proc.ask('info')).hanging !== count) await new Promise(r => setTimeout(r, 5));
}

/** Begins calls that are never answered. Returns a function that cancels them. */
async function hang(port, tool, behind) {
  const head = postHead({ port, headers: { 'MCP-Protocol-Version': V2026, 'Mcp-Method': 'tools/call', 'Mcp-Name': tool } });
  const conns = await Promise.all(Array.from({ length: HANGING }, (_, i) => new HttpConn(port, '127.0.0.1', CALLERS[i % CALLERS.length]).connect()));
  conns.forEach((conn, i) => conn.send(post(head, requestBody(era, i + 1, 'tools/call', `"name":"${tool}","arguments":{}`))));
  await untilHanging(behind, HANGING);
  return async () => {
    conns.forEach(conn => conn.destroy());
    await untilHanging(behind, 0);
  };
}

async function measure({ started, tool, behind, cfg, log, within }) {
  const { driver, proc } = started;
  const { port } = await proc.ask('info');
  const load = () => within(cfg.ms + 10000, 'load', driver.load(CONCURRENCY, cfg.ms));
  await warmUp(ms => within(ms + 10000, 'warm-up', driver.load(CONCURRENCY, ms)), cfg);
  const entry = (what, run) => ({ peer: started.peer, what, pids: [...started.own, ...started.behind], run });
  const besideHanging = async () => {
    const cancel = await within(10000, 'calls that hang', hang(port, tool, behind));
    return load().finally(() => within(10000, 'cancelling', cancel()));
  };
  const entries = [entry('without', load), entry('with', besideHanging), entry('again', load)];
  await interleave(entries, Math.max(cfg.rounds, 7), { log });
  const [without] = entries;
  return entries.map(e => {
    if (e !== without) e.samples.forEach((s, r) => without.samples[r] && (s.p99Times = s.p99 / without.samples[r].p99));
    return row('gateway', `${VARIANTS[e.what]}, ${CONCURRENCY} in flight`, e, { rps: 'high', p50: 'low', p99: 'low', p99Times: 'low' });
  });
}

/** Three rows for each gateway that serves two servers. */
export async function besideHanging({ list, cfg, log, startGateway, within }) {
  const up = new Proc('server', { peer: 'raw', kind: 'http', era, response: 'json', tools });
  const slow = new Proc('hanging', { peer: 'raw', era, tools });
  const rows = [];
  try {
    await Promise.all([up.ready, slow.ready]);
    const servers = Object.fromEntries([['up', up], ['slow', slow]].map(([name, { port }]) => [name, { url: `http://127.0.0.1:${port}/mcp` }]));
    for (const g of list.filter(({ servesMany, supports }) => servesMany && supports('http', 'http', era))) {
      let started;
      try {
        started = await startGateway(g, { front: 'http', upstream: 'http', era }, servers);
        started.behind = [up.child.pid, slow.child.pid];
        const { tool } = await started.proc.ask('info');
        rows.push(...(await measure({ started, tool: tool.replace('up', 'slow'), behind: slow, cfg, log, within })));
      } catch (error) {
        log(`    ! ${g.id}, calls that hang: ${error.message.slice(0, 200)}`);
      } finally {
        await started?.stop();
      }
    }
  } finally {
    for (const proc of [up, slow]) await proc.stop();
  }
  return rows;
}
