// Tenon as its README shows it: one server definition for every revision, Node's stdio and HTTP edges, in process without a transport.
// `tenonPeer(name)` makes it of the package of that name, so that two builds can be measured in one run (`tenon-before.mjs`).
import { tenonWays } from './tenon-ways.mjs';
import { toolSet, zodShape, CLIENT_INFO, V2025, V2026 } from '../lib/workload.mjs';

const revision = era => (era === '2026' ? V2026 : V2025);

/** The peer, made of the package `name`. */
export function tenonPeer(name, label) {
  const load = subpath => import(`${name}/${subpath}`);

  const ways = tenonWays(load);

  /** What a tool does: `asks` has it ask the user first. */
  function handlerOf(t, sure) {
    if (sure) return async (args, ctx) => ((await ctx.elicit('sure', { message: 'Sure?', schema: sure })).action === 'accept' ? t.run(args) : ctx.fail('No'));
    return t.progress ? (args, ctx) => t.run(args, (done, total) => ctx.progress(done, total)) : args => t.run(args);
  }

  async function build(spec, options = {}, { task = false, asks = false } = {}) {
    const { McpServer } = await load('server');
    const z = await import('zod');
    const server = new McpServer({ name: 'tenon', version: '1.0.0' }, options);
    for (const t of toolSet(spec.tools)) {
      const definition = {
        description: t.description,
        input: z.object(zodShape(z, t.input)),
        ...(t.output && { output: z.object(zodShape(z, t.output)) }),
        ...(task && { task })
      };
      server.tool(t.name, definition, handlerOf(t, asks && z.object({ sure: z.boolean() })));
    }
    return server;
  }

  async function stdio(spec) {
    const { serveStdio } = await load('node');
    // Not awaited: it resolves when the connection has ended.
    void serveStdio(await build(spec));
  }

  async function http(spec) {
    const { serveHttp } = await load('node');
    // Nodes that share their sessions have the same keys.
    const server = await build(spec, spec.way === 'store' ? { requestState: { keys: ['a key that all nodes of the benchmark have'] } } : {});
    const { endpoint: more, headers } = await ways.served(server, spec);
    // All the benchmark's clients have one address, and so one share.
    const endpoint = await serveHttp(server, { port: spec.port ?? 0, ...(spec.workers && { workers: spec.workers }), timeouts: { keepAlive: 60000, headers: 60000, request: 300000 }, sessions: { maxPerPrincipal: 10000 }, streams: { maxPerPrincipal: 10000 }, responseMode: spec.response === 'sse' ? 'sse' : 'auto', ...more });
    const added = server.tool('changing', { description: 'Withdrawn at once' }, () => '');
    added.disable();
    // What a listener hears of is any change of the list.
    return { port: endpoint.port, headers, fanout: () => added.update({}) };
  }

  async function inprocess(spec) {
    const { connect } = await load('client');
    const connected = (server, options = {}) => connect(server, { revision: revision(spec.era), clientInfo: CLIENT_INFO, ...options });
    const server = (options, tool) => build(spec, options, tool);
    const client = await (spec.way ? ways.calls[spec.way](server, connected) : connected(await server()));
    return { call: args => client.callTool('add', args), close: () => client.close() };
  }

  async function client(spec, fetch) {
    const { connect } = await load('client');
    // The default: `tenon-runtime-fetch.mjs` names a `fetch`.
    const target = spec.transport === 'http' ? { url: spec.url, ...(fetch && { fetch }) } : { command: spec.command, args: spec.args, env: spec.env };
    const client = await connect(target, { revision: revision(spec.era), clientInfo: CLIENT_INFO });
    const list = async () => {
      const tools = [];
      for await (const tool of client.tools()) tools.push(tool);
      return tools;
    };
    // A host lists the tools before it calls one.
    await list();
    return { call: args => client.callTool('add', args), list, close: () => client.close() };
  }

  /** The gateway, as its page shows it. */
  const gateway = {
    supports: () => true,
    servesMany: true,
    async start({ front, port, servers, way }) {
      const { createGateway } = await load('gateway');
      const { serveHttp, serveStdio } = await load('node');
      const served = createGateway({ servers, ...(way === 'guarded' && ways.guarded()) });
      if (front === 'stdio') {
        void serveStdio(served);
        return { tool: 'up__add', close: () => served.close() };
      }
      const endpoint = await serveHttp(served, { port, timeouts: { keepAlive: 60000, headers: 60000, request: 300000 }, sessions: { maxPerPrincipal: 10000 } });
      return { port: endpoint.port, path: '/mcp', tool: 'up__add', close: async () => (await endpoint.close(), served.close()) };
    }
  };

  return {
    id: name,
    label,
    note: 'in process: values are copied and the codec of the revision runs; bundle without re2js and cross-spawn, which load only when used',
    packages: { server: ['tenon', 'zod'], client: ['tenon'] },
    // With the stdio edge and the schema library, as every peer has them.
    imports: { server: ['tenon/server', 'tenon/node'], schemas: 'zod', client: ['tenon/client'] },
    supports: {
      inprocess: ['2025', '2026'],
      stdio: ['2025', '2026'],
      http: { '2025': ['json', 'sse'], '2026': ['json', 'sse'] },
      client: { stdio: ['2025', '2026'], http: ['2025', '2026'] },
      structured: true,
      validates: true,
      progress: { stdio: true, http: true },
      fanout: ['2025', '2026'],
      ways: true
    },
    gateway, stdio, http, inprocess, client,
    bundle: {
      server: `
        import { McpServer } from 'tenon/server';
        import { serveStdio } from 'tenon/node';
        import * as z from 'zod';
        const s = new McpServer({ name: 's', version: '1' });
        s.tool('add', { description: 'Add', input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b));
        await serveStdio(s);`,
      client: `
        import { connect } from 'tenon/client';
        export async function call(target, name, args) {
          const c = await connect(target);
          return c.callTool(name, args);
        }`,
      external: ['re2js', 'cross-spawn']
    }
  };
}

export default tenonPeer('tenon', 'Tenon');
