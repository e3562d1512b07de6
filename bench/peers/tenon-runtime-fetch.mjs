// Tenon's client over HTTP with Node's own `fetch`, which it uses if the program has replaced `fetch` or has set a dispatcher. Measured as a client only.
import tenon from './tenon.mjs';

export default {
  id: 'tenon-runtime-fetch',
  label: 'Tenon (fetch of Node)',
  note: 'HTTP client with the built-in fetch in place of undici, the default',
  variantOf: 'tenon',
  packages: {},
  supports: { inprocess: [], stdio: [], http: { '2025': [], '2026': [] }, client: { stdio: [], http: ['2025', '2026'] }, fanout: [] },
  client: spec => tenon.client(spec, (url, init) => fetch(url, init))
};
