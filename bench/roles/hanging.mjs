// A server on HTTP that lists its tools and never answers a call. BENCH_SPEC = { peer, era, tools }. `info` says how many calls hang.
import { createServer } from 'node:http';
import { V2025, V2026 } from '../lib/workload.mjs';

const { era, tools } = JSON.parse(process.env.BENCH_SPEC);
const isStateless = era === '2026';
const info = { capabilities: { tools: {} }, serverInfo: { name: 'hanging', version: '1.0.0' } };
const cached = isStateless ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
const answers = {
  ...(isStateless ? { 'server/discover': { supportedVersions: [V2026], ...info, ...cached } } : { initialize: { protocolVersion: V2025, ...info } }),
  'tools/list': { tools: tools.names.map(name => ({ name, inputSchema: { type: 'object' } })), ...cached }
};
let hanging = 0;

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const { id, method } = JSON.parse(text);
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'tools/call') {
    hanging++;
    return void response.once('close', () => hanging--);
  }
  const body = answers[method] ? { result: answers[method] } : { error: { code: -32601, message: 'Method not found' } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
});
server.listen(0, '127.0.0.1', () => process.send({ ready: true, port: server.address().port }));
process.on('message', ({ id, cmd }) => (cmd === 'exit' ? process.exit(0) : process.send({ id, value: { hanging } })));
process.on('disconnect', () => process.exit(0));
