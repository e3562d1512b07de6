// What may be added to a server, a client or a gateway of Tenon, as its page shows it: the rows of `scenarios/ways.mjs`. A `spec` names one with `way`.

const HOST = '127.0.0.1';

/** The ways, made of the package that `load` loads a subpath of. */
export function tenonWays(load) {
  /** Behind `bearer()`: the options of the endpoint, and the headers of its clients. */
  async function bearer() {
    const { createServer } = await import('node:http');
    const { bearer } = await load('auth');
    const { SignJWT, exportJWK, generateKeyPair } = await import('jose');
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }] });
    const login = createServer((_request, response) => response.setHeader('content-type', 'application/json').end(keys));
    await new Promise(r => login.listen(0, HOST, r));
    const [issuer, audience] = [`http://${HOST}:${login.address().port}`, `http://${HOST}/mcp`];
    const token = await new SignJWT({ iss: issuer, aud: audience, sub: 'ann', client_id: 'bench', scope: 'tools', jti: 'j' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k' }).setIssuedAt().setExpirationTime('1 h').sign(privateKey);
    return { endpoint: { auth: bearer({ issuer, audience, jwksUri: issuer, scopes: ['tools'] }) }, headers: { Authorization: `Bearer ${token}` } };
  }

  /** With `otel()`, and with the SDK that `@opentelemetry/sdk-node` registers, but for an exporter: what that costs is not ours. */
  async function otel(server, { spans }) {
    if (spans) {
      const { context, propagation, trace } = await import('@opentelemetry/api');
      const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
      const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
      const { BasicTracerProvider } = await import('@opentelemetry/sdk-trace-base');
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      propagation.setGlobalPropagator(new W3CTraceContextPropagator());
      trace.setGlobalTracerProvider(new BasicTracerProvider());
    }
    const { otel } = await load('otel');
    server.use(otel());
    return {};
  }

  /** Sessions in the stores of an engine. */
  async function store({ engine, url }) {
    if (engine === 'memory') return { endpoint: { stores: (await load('stores/memory')).memoryStores() } };
    const { [`${engine === 'pglite' ? 'postgres' : engine}Stores`]: make } = await load(`stores/${engine === 'pglite' ? 'postgres' : engine}`);
    const { PGlite } = engine === 'pglite' ? await import('@electric-sql/pglite') : {};
    const stores = make({ ...(PGlite ? { pglite: new PGlite() } : { url }), timeout: 30000 });
    await stores.ready();
    return { endpoint: { stores } };
  }

  /** What a server or a client in this process has, and what one call is: `server(options)` makes a server, `connect(server, options)` a client of it. */
  const calls = {
    async task(server, connect) {
      const { tasks } = await load('ext/tasks');
      // A task is kept after its end, so all of a run are there at once.
      return connect(await server({ extensions: [tasks({ maxTasks: 1_000_000 })] }, { task: true }), { extensions: [tasks()] });
    },
    async group(server) {
      const { ClientSessionGroup } = await load('group');
      const servers = {};
      for (let i = 0; i < 8; i++) servers[`s${i}`] = await server();
      const group = await ClientSessionGroup.connect(servers, { readyTimeout: Infinity });
      return { callTool: (name, args) => group.callTool(`s${args.a % 8}__${name}`, args), close: () => group.close() };
    },
    elicit: async (server, connect) => connect(await server({}, { asks: true }), { onElicit: () => ({ action: 'accept', content: { sure: true } }) })
  };

  return {
    calls,
    /** What a way adds to the endpoint of a server, and to the requests of its clients. */
    async served(server, spec) {
      if (spec.way === 'bearer') return bearer();
      if (spec.way === 'otel') return otel(server, spec);
      if (spec.way === 'store') return store(spec);
      return {};
    },
    /** What a company adds to its gateway. */
    guarded: () => ({ policy: ({ server, name }) => server === 'up' && name !== 'forbidden', pins: {}, audit: { write: () => {} } })
  };
}
