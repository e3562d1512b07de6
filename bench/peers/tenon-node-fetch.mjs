// Tenon's client over HTTP with the `fetch` that a user can choose on Node. Measured as a client only.
import { client } from './tenon.mjs';

export default {
  id: 'tenon-node-fetch',
  label: 'Tenon (nodeFetch)',
  note: 'HTTP client with nodeFetch (undici) in place of the built-in fetch',
  variantOf: 'tenon',
  packages: {},
  supports: { inprocess: [], stdio: [], http: { '2025': [], '2026': [] }, client: { stdio: [], http: ['2025', '2026'] }, fanout: [] },
  client: async spec => client(spec, (await import('tenon/node')).nodeFetch)
};
