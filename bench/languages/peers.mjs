// SDKs of other languages as peers: programs in `programs`, which `npm run bench:languages -- --install` builds into `installed`. `languages.json` names them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
export const INSTALLED = fileURLToPath(new URL('installed/', import.meta.url));
export const { peers: TABLE, toolChains: TOOL_CHAINS } = JSON.parse(readFileSync(new URL('languages.json', import.meta.url), 'utf8'));
export const LANGUAGES = Object.keys(TABLE);
/** Those whose programs have a client, too, and what the lab's interoperability run asks for. */
export const PARTNERS = LANGUAGES.filter(id => TABLE[id].supports.stdio.length > 0);

const python = script => [`${INSTALLED}python/bin/python`, `${PROGRAMS}python/${script}.py`];
const java = ['java', '-cp', `${INSTALLED}java/classes:${INSTALLED}java/dependency/*`, 'peer.Main'];

/** The command of a program; `server` or `client` and what follows are its arguments. */
const COMMANDS = {
  'go-official': side => [`${INSTALLED}go-official`, side],
  'mcp-go': side => [`${INSTALLED}mcp-go`, side],
  rmcp: side => [`${INSTALLED}rust/release/rmcp-peer`, side],
  'java-official': side => [...java, side],
  quarkus: side => ['java', '-jar', `${INSTALLED}quarkus/quarkus-app/quarkus-run.jar`, side],
  'python-official': side => python(side)
};

/** How a peer's server is started: `tools` is `bench` or `interop`, `at` undefined for stdio or { port, response, family }. */
export function serverOf(id, tools, at) {
  const end = at === undefined ? ['stdio'] : ['http', String(at.port), at.response, at.family];
  const [command, ...args] = [...COMMANDS[id]('server'), tools, ...end];
  return { command, args };
}

/** How a peer's client is started; `target` is the URL of a server, or the words of its command. */
export function clientOf(id, family, transport, target) {
  const [command, ...args] = [...COMMANDS[id]('client'), family, transport, ...target];
  return { command, args };
}

/** A peer as the benchmark knows it. */
export function languagePeer(id) {
  const { label, setUp, sdk, supports } = TABLE[id];
  return {
    id, label, note: setUp, versions: sdk,
    supports: { inprocess: [], client: { stdio: [], http: [] }, structured: true, validates: true, progress: { stdio: false, http: false }, fanout: [], ...supports },
    foreign: (spec, port) => serverOf(id, 'bench', spec.kind === 'stdio' ? undefined : { port, response: spec.response, family: spec.era })
  };
}
