// The memory of one idle user of a gateway: a session in front. Both servers behind have no sessions, so all users share one connection to
// each, and what is counted is the gateway's own.
import { HttpConn, header, messages, post, postHead } from '../lib/http-driver.mjs';
import { row } from '../lib/interleave.mjs';
import { Proc } from '../lib/proc.mjs';
import { initializeBody, initializedBody } from '../lib/workload.mjs';

const USERS = 1000;
/** Users before the first reading: code and tables are loaded then. */
const FIRST_USERS = 100;
const CONNECTIONS = 20;

/** A user who has initialized a session and listed the tools. Returns how many there are. */
async function openUser(conn, port) {
  const r = await conn.roundTrip(post(postHead({ port }), initializeBody(1)));
  const session = header(r.head, 'mcp-session-id');
  if (r.status !== 200 || !session) throw new Error(`initialize: ${r.status}, ${session ? 'a' : 'no'} session`);
  const head = postHead({ port, headers: { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': messages(r.body)[0].result.protocolVersion } });
  await conn.roundTrip(post(head, initializedBody()));
  const listed = await conn.roundTrip(post(head, '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}'));
  return messages(listed.body).at(-1)?.result?.tools?.length;
}

async function openUsers(port, count, tools) {
  const conns = await Promise.all(Array.from({ length: CONNECTIONS }, () => new HttpConn(port).connect()));
  let left = count;
  const each = conns.map(async conn => {
    while (left-- > 0) {
      const listed = await openUser(conn, port);
      if (listed !== tools) throw new Error(`a user has ${listed} tools of two servers, not ${tools}`);
    }
  });
  await Promise.all(each).finally(() => conns.forEach(conn => conn.destroy()));
}

async function measure(g, servers, { freePort, tools }) {
  const proc = new Proc('gateway', { peer: g.id, front: 'http', era: '2025', servers, port: await freePort() }, { nodeArgs: ['--expose-gc'] });
  try {
    await proc.ready;
    const { port } = await proc.ask('info');
    await openUsers(port, FIRST_USERS, tools);
    const before = await proc.ask('mem');
    await openUsers(port, USERS, tools);
    const after = await proc.ask('mem');
    return { [`heap${USERS}`]: (after.heapUsed - before.heapUsed) / USERS, [`rss${USERS}`]: (after.rss - before.rss) / USERS };
  } finally {
    await proc.stop();
  }
}

/** One row for each gateway that has sessions and shows both servers. */
export async function idleUsers({ list, cfg, log, freePort, within }) {
  const spec = { peer: 'raw', kind: 'http', era: '2026', response: 'json', tools: { names: ['add', 'echo'] } };
  const behind = [new Proc('server', spec), new Proc('server', spec)];
  const rows = [];
  try {
    await Promise.all(behind.map(({ ready }) => ready));
    const [one, two] = behind.map(({ port }) => ({ url: `http://127.0.0.1:${port}/mcp` }));
    for (const g of list.filter(({ servesMany, supports }) => servesMany && supports('http', 'http', '2025'))) {
      const e = { peer: g.id, samples: [] };
      try {
        for (let r = 0; r < Math.max(cfg.memoryRounds, 3); r++)
          e.samples.push(await within(60000, 'users', measure(g, { one, two }, { freePort, tools: 4 })));
        rows.push(row('gateway', `${USERS} idle users, two servers`, e, { [`heap${USERS}`]: 'low', [`rss${USERS}`]: 'low' }));
      } catch (error) {
        log(`    ! ${g.id}, idle users: ${error.message.slice(0, 200)}`);
      }
    }
  } finally {
    for (const proc of behind) await proc.stop();
  }
  return rows;
}
