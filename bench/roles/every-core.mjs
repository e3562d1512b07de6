// A server of a peer of Node on every core of the machine: `node every-core.mjs raw|tenon <port> json|sse 2025|2026`.
// Tenon does it by its option `workers`; the raw program is forked by node:cluster as it is.
import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { loadPeer } from '../peers/index.mjs';

const [id, port, response, era] = process.argv.slice(2);
if (id === 'raw' && cluster.isPrimary) for (let worker = 0; worker < availableParallelism(); worker++) cluster.fork();
else await (await loadPeer(id)).http({ era, response, tools: { names: ['add', 'echo'] }, port: Number(port), workers: 'all' });
