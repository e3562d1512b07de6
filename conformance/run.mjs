#!/usr/bin/env node
// Runs the public MCP conformance suite (pinned in package.json) against a server fixture and a
// client fixture, over every revision and leg, and prints one line per leg. See README.md.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { endWithReader } from '../scripts/stdout.mjs';
import { freePort } from '../scripts/free-port.mjs';

endWithReader();

const here = dirname(fileURLToPath(import.meta.url));

const { values: opt } = parseArgs({
  options: {
    server: { type: 'string' },
    'server-cwd': { type: 'string' },
    'server-url': { type: 'string' },
    client: { type: 'string' },
    'client-cwd': { type: 'string' },
    as: { type: 'string' },
    'as-cwd': { type: 'string' },
    'as-url': { type: 'string' },
    'as-client-id': { type: 'string' },
    'as-client-secret': { type: 'string' },
    'as-resource': { type: 'string' },
    legs: { type: 'string', default: 'server,client,legacy,extensions,authorization' },
    revisions: { type: 'string', default: '2025-11-25,2026-07-28' },
    only: { type: 'string' },
    threshold: { type: 'string', default: '100' },
    all: { type: 'boolean', default: false },
    pending: { type: 'string' },
    floor: { type: 'string' },
    'write-floor': { type: 'string' },
    repeat: { type: 'string', default: '1' },
    timeout: { type: 'string', default: '30000' },
    out: { type: 'string' },
    json: { type: 'string' },
    quiet: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (opt.help || (!opt.server && !opt['server-url'] && !opt.client && !opt.as && !opt['as-url'])) {
  console.log(readFileSync(join(here, 'README.md'), 'utf8'));
  process.exit(opt.help ? 0 : 2);
}

const legs = new Set(opt.legs.split(',').map((s) => s.trim()));
const revisions = opt.revisions.split(',').map((s) => s.trim());
const only = opt.only ? new RegExp(opt.only) : undefined;
// Known not to pass yet: reported, and left out of what a leg has to reach.
const pending = opt.pending ? new RegExp(opt.pending) : undefined;
const out = resolve(opt.out ?? join(here, 'out', new Date().toISOString().replace(/[:.]/g, '-')));
mkdirSync(out, { recursive: true });

// Scenarios whose clients are expected to give up: the suite says so in the scenario, not in what it prints.
const CLIENT_MAY_FAIL = new Set([
  'auth/scope-retry-limit',
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
  'http-invalid-tool-headers',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
]);
const LEGACY = ['2025-03-26', '2025-06-18'];

// ---------------------------------------------------------------- the pinned suite

const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const pinned = manifest.dependencies['@modelcontextprotocol/conformance'];
const suiteDir = join(here, 'node_modules', '@modelcontextprotocol', 'conformance');

function npm(args, cwd) {
  const r = spawnSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  if (r.status !== 0) {
    console.error(String(r.stderr));
    throw new Error(`npm ${args.join(' ')} exited ${r.status}`);
  }
}

function installSuite() {
  const installed = existsSync(join(suiteDir, 'package.json'))
    ? JSON.parse(readFileSync(join(suiteDir, 'package.json'), 'utf8')).version
    : undefined;
  if (installed !== pinned) npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], here);
  // The suite needs Node 22 or later, whatever Node the fixtures run on.
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const dir = join(here, '.runtime');
  const bin = join(dir, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(bin)) {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'package.json'), '{"name":"suite-runtime","private":true,"version":"0.0.0"}\n');
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', `${name}@${manifest.suiteRuntime}`], dir);
  }
  return bin;
}

const suiteNode = installSuite();
const suiteJs = join(suiteDir, 'dist', 'index.js');
const { parse: parseYaml } = createRequire(join(suiteDir, 'package.json'))('yaml');

function requirements(revision) {
  const y = parseYaml(readFileSync(join(suiteDir, 'requirements', `${revision}.yaml`), 'utf8'));
  const extra = (leg) => (y.not_scored ?? []).filter((e) => e.leg === leg).map((e) => ({ name: e.scenario, reason: e.reason }));
  return {
    server: { scored: y.server, unscored: extra('server') },
    client: { scored: y.client, unscored: extra('client') },
  };
}

function suite(args, { env, onLine, timeoutMs } = {}) {
  return new Promise((done) => {
    const child = spawn(suiteNode, [suiteJs, ...args], {
      cwd: out,
      env: { ...process.env, ...env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    let pending = '';
    const take = (d) => {
      text += d;
      if (!onLine) return;
      pending += d;
      const lines = pending.split('\n');
      pending = lines.pop();
      for (const l of lines) onLine(l);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const timer = timeoutMs ? setTimeout(() => child.kill('SIGKILL'), timeoutMs) : undefined;
    child.on('close', (code) => {
      clearTimeout(timer);
      done({ code, text });
    });
  });
}

async function listScenarios() {
  const { text } = await suite(['list']);
  const found = { server: [], client: [], authorization: [] };
  let where;
  for (const line of text.split('\n')) {
    if (/^Server scenarios/.test(line)) where = 'server';
    else if (/^Client scenarios/.test(line)) where = 'client';
    else if (/^Authorization server/.test(line)) where = 'authorization';
    const m = /^\s+- (\S+)(?: \[([^\]]*)\])?/.exec(line);
    if (m && where) found[where].push({ name: m[1], tags: (m[2] ?? '').split(',').map((s) => s.trim()) });
  }
  return found;
}

// ---------------------------------------------------------------- the fixtures

function killGroup(child, signal) {
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // it has already gone
  }
}

const running = new Set();
for (const s of ['SIGINT', 'SIGTERM']) {
  process.on(s, () => {
    for (const c of running) killGroup(c, 'SIGKILL');
    process.exit(130);
  });
}

async function startFixture(command, cwd, urlTemplate, label) {
  const port = await freePort();
  const fill = (s) => s.replaceAll('{port}', String(port));
  const url = fill(urlTemplate);
  if (!command) return { url, stop: async () => ({ alive: true }) };
  const child = spawn(fill(command), {
    shell: true,
    cwd: cwd ? resolve(cwd) : process.cwd(),
    env: { ...process.env, PORT: new URL(url).port || String(port), MCP_FIXTURE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  running.add(child);
  let log = '';
  child.stdout.on('data', (d) => (log += d));
  child.stderr.on('data', (d) => (log += d));
  let exited;
  child.on('exit', (code, signal) => (exited = { code, signal }));
  const stop = async () => {
    const state = { alive: exited === undefined, exited };
    killGroup(child, 'SIGTERM');
    for (let i = 0; i < 30 && exited === undefined; i++) await new Promise((r) => setTimeout(r, 100));
    state.slowToStop = exited === undefined;
    killGroup(child, 'SIGKILL');
    running.delete(child);
    writeFileSync(join(out, `${label.replace(/\W+/g, '-')}.fixture.log`), log);
    return state;
  };
  const until = Date.now() + 30_000;
  for (;;) {
    if (exited) {
      await stop();
      throw new Error(`${label}: the fixture exited ${exited.code ?? exited.signal} before it listened\n${log.slice(-2000)}`);
    }
    try {
      const c = new AbortController();
      const r = await fetch(url, { method: 'GET', headers: { accept: 'application/json' }, signal: AbortSignal.any([c.signal, AbortSignal.timeout(2000)]) });
      void r.status;
      c.abort();
      break;
    } catch (e) {
      if (e?.name === 'TimeoutError') break; // it accepted the connection
      if (Date.now() > until) {
        await stop();
        throw new Error(`${label}: nothing answers at ${url}\n${log.slice(-2000)}`);
      }
      await new Promise((r) => setTimeout(r, 150));
    }
  }
  return { url, stop };
}

// ---------------------------------------------------------------- reading the suite's results

function readChecks(dir) {
  const byScenario = new Map();
  const walk = (d, prefix) => {
    if (!existsSync(d)) return;
    for (const name of readdirSync(d)) {
      const p = join(d, name);
      if (!statSync(p).isDirectory()) continue;
      const file = join(p, 'checks.json');
      const m = /^(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name);
      if (m) {
        const scenario = prefix + m[1].replace(/^(authorization-server|server)-(?=.)/, prefix ? '$&' : '');
        byScenario.set(scenario, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
      } else walk(p, `${prefix}${name}/`);
    }
  };
  walk(dir, '');
  return byScenario;
}

// The suite adds this check to every scenario in which a message went over an instrumented wire, so it
// alone does not show that the scenario exercised anything.
const GENERIC = new Set(['wire-schema-valid', 'wire-schema-harness-error']);

function judge(name, checks, exit) {
  const n = { SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0 };
  for (const c of checks ?? []) n[c.status]++;
  const exercised = (checks ?? []).some((c) => c.status === 'SUCCESS' && !GENERIC.has(c.id));
  const faults = (checks ?? [])
    .filter((c) => c.status === 'FAILURE' || c.status === 'WARNING')
    .map((c) => `${c.status === 'WARNING' ? 'warning ' : ''}${c.id}: ${String(c.errorMessage ?? c.description).split('\n')[0].slice(0, 300)}`);
  const skips = (checks ?? []).filter((c) => c.status === 'SKIPPED').map((c) => c.id);
  if (checks === undefined) faults.push('did not run');
  else if (!exercised && skips.length) faults.push(`nothing exercised (skipped: ${skips.join(', ')})`);
  else if (!exercised && faults.length === 0) faults.push('nothing exercised');
  // The suite's own verdict on a scenario: no check failed. Ours also wants something exercised, no
  // warning, and a client that ended by itself with status 0.
  const suiteOk = checks !== undefined && n.FAILURE === 0;
  let total = n.SUCCESS + n.FAILURE + n.WARNING;
  if (exit && !CLIENT_MAY_FAIL.has(name) && (exit.timedOut || exit.code !== 0)) {
    faults.push(exit.timedOut ? `the client hung (killed after ${exit.ms} ms)` : `the client exited ${exit.code ?? exit.signal}`);
  } else if (exit?.timedOut) faults.push(`the client hung (killed after ${exit.ms} ms)`);
  if (checks === undefined || total === 0) total = Math.max(total, 1);
  return { name, passed: n.SUCCESS, total, skipped: n.SKIPPED, warnings: n.WARNING, ok: faults.length === 0, suiteOk, faults, skips };
}

const report = [];

function addLeg(label, names, checksOf, exitOf, { scored, note, harness } = {}) {
  const scenarios = names.filter((n) => !only || only.test(n)).map((n) => judge(n, checksOf(n), exitOf?.(n)));
  if (scenarios.length === 0) return;
  const leg = {
    label,
    scored: scored ?? false,
    scenarios: {
      passed: scenarios.filter((s) => s.ok).length,
      total: scenarios.length,
      bySuite: scenarios.filter((s) => s.suiteOk).length,
    },
    checks: {
      passed: scenarios.reduce((a, s) => a + s.passed, 0),
      total: scenarios.reduce((a, s) => a + s.total, 0),
      skipped: scenarios.reduce((a, s) => a + s.skipped, 0),
      warnings: scenarios.reduce((a, s) => a + s.warnings, 0),
    },
    problems: harness ?? [],
    detail: scenarios,
  };
  const before = report.find((l) => l.label === label);
  if (before) {
    // A repeated leg keeps its worst run.
    if (leg.scenarios.passed < before.scenarios.passed || leg.checks.passed < before.checks.passed) {
      before.unstable = true;
      Object.assign(before, leg, { unstable: true });
    } else if (leg.scenarios.passed > before.scenarios.passed) before.unstable = true;
    return;
  }
  if (note) leg.note = note;
  report.push(leg);
}

// ---------------------------------------------------------------- the legs

let runNo = 0;
const freshDir = (label) => {
  const d = join(out, `${String(++runNo).padStart(2, '0')}-${label.replace(/\W+/g, '-')}`);
  rmSync(d, { recursive: true, force: true });
  mkdirSync(d, { recursive: true });
  return d;
};

const serverUrl = opt['server-url'] ?? 'http://localhost:{port}/mcp';
const suiteTimeout = ['--timeout', opt.timeout];

async function withServer(label, fn) {
  const fx = await startFixture(opt.server, opt['server-cwd'], serverUrl, label);
  const problems = [];
  try {
    await fn(fx.url, problems);
  } finally {
    const end = await fx.stop();
    if (!end.alive) problems.push(`the server fixture died during the run (${JSON.stringify(end.exited)})`);
    if (end.slowToStop) problems.push('the server fixture did not stop within 3 s of SIGTERM');
  }
}

function clientRunner(dir) {
  const log = join(dir, 'clients.jsonl');
  const wrap = join(here, 'client-wrap.mjs');
  const command = `"${process.execPath}" "${wrap}"`;
  const env = {
    HARNESS_CLIENT: opt.client,
    HARNESS_CLIENT_CWD: opt['client-cwd'] ? resolve(opt['client-cwd']) : process.cwd(),
    HARNESS_CLIENT_LOG: log,
    HARNESS_CLIENT_MS: String(Math.max(1000, Number(opt.timeout) - 1500)),
  };
  const exits = () => {
    const m = new Map();
    if (existsSync(log)) for (const l of readFileSync(log, 'utf8').split('\n')) if (l) { const e = JSON.parse(l); m.set(e.scenario, e); }
    return m;
  };
  return { command, env, exits };
}

const say = (s) => opt.quiet || console.error(s);

async function serverRequirements(revision) {
  const label = `server ${revision}`;
  const dir = freshDir(label);
  const req = requirements(revision).server;
  const problems = [];
  await withServer(label, async (url, p) => {
    const r = await suite(['server', '--url', url, '--requirements', revision, '-o', dir, ...suiteTimeout]);
    writeFileSync(join(dir, 'suite.log'), r.text);
    problems.push(...p);
  }).catch((e) => problems.push(e.message));
  const got = readChecks(dir);
  addLeg(label, req.scored, (n) => got.get(n), undefined, { scored: true, harness: problems });
  const reasons = new Map(req.unscored.map((u) => [u.name, u.reason]));
  addLeg(`${label} not scored`, [...reasons.keys()], (n) => got.get(n), undefined, { note: Object.fromEntries(reasons) });
}

async function clientRequirements(revision) {
  const label = `client ${revision}`;
  const dir = freshDir(label);
  const req = requirements(revision).client;
  const run = clientRunner(dir);
  const r = await suite(['client', '--command', run.command, '--requirements', revision, '-o', dir, ...suiteTimeout], { env: run.env });
  writeFileSync(join(dir, 'suite.log'), r.text);
  const got = readChecks(dir);
  const exits = run.exits();
  addLeg(label, req.scored, (n) => got.get(n), (n) => exits.get(n), { scored: true });
  const reasons = new Map(req.unscored.map((u) => [u.name, u.reason]));
  addLeg(`${label} not scored`, [...reasons.keys()], (n) => got.get(n), (n) => exits.get(n), { note: Object.fromEntries(reasons) });
}

// Revisions that have no frozen requirement set: everything the suite tags as applicable, at that wire.
async function legacy(all) {
  for (const version of LEGACY) {
    if (opt.server || opt['server-url']) {
      const label = `server ${version}`;
      const dir = freshDir(label);
      const problems = [];
      await withServer(label, async (url, p) => {
        const r = await suite(['server', '--url', url, '--suite', 'all', '--spec-version', version, '-o', dir, ...suiteTimeout]);
        writeFileSync(join(dir, 'suite.log'), r.text);
        problems.push(...p);
      }).catch((e) => problems.push(e.message));
      const got = readChecks(dir);
      addLeg(label, all.server.filter((s) => s.tags.includes(version)).map((s) => s.name), (n) => got.get(n), undefined, { harness: problems });
    }
    if (opt.client) {
      const label = `client ${version}`;
      const dir = freshDir(label);
      const run = clientRunner(dir);
      const r = await suite(['client', '--command', run.command, '--suite', 'all', '--spec-version', version, '-o', dir, ...suiteTimeout], { env: run.env });
      writeFileSync(join(dir, 'suite.log'), r.text);
      const got = readChecks(dir);
      const exits = run.exits();
      addLeg(label, all.client.filter((s) => s.tags.includes(version)).map((s) => s.name), (n) => got.get(n), (n) => exits.get(n));
    }
  }
}

// Scenarios in the suite that no requirement set and no legacy run reaches (today: the Skills extension).
async function extensions(all) {
  const reached = { server: new Set(), client: new Set() };
  for (const revision of revisions) {
    const r = requirements(revision);
    for (const leg of ['server', 'client']) for (const n of [...r[leg].scored, ...r[leg].unscored.map((u) => u.name)]) reached[leg].add(n);
  }
  const rest = (leg) => all[leg].filter((s) => !reached[leg].has(s.name) && !s.tags.some((t) => LEGACY.includes(t))).map((s) => s.name);
  if ((opt.server || opt['server-url']) && rest('server').length) {
    const label = 'server other extensions';
    const dir = freshDir(label);
    const problems = [];
    await withServer(label, async (url, p) => {
      for (const n of rest('server')) await suite(['server', '--url', url, '--scenario', n, '-o', dir, ...suiteTimeout]);
      problems.push(...p);
    }).catch((e) => problems.push(e.message));
    const got = readChecks(dir);
    addLeg(label, rest('server'), (n) => got.get(n), undefined, { harness: problems });
  }
  if (opt.client && rest('client').length) {
    const label = 'client other extensions';
    const dir = freshDir(label);
    const run = clientRunner(dir);
    for (const n of rest('client')) await suite(['client', '--command', run.command, '--scenario', n, '-o', dir, ...suiteTimeout], { env: run.env });
    const got = readChecks(dir);
    const exits = run.exits();
    addLeg(label, rest('client'), (n) => got.get(n), (n) => exits.get(n));
  }
}

// The authorization-server scenarios ask a person to open a browser. Here the harness follows the
// redirects itself, so the fixture must approve without a page, and it registers itself as a public
// client where the fixture offers registration and no client id was given.
async function authorization() {
  const label = 'authorization server';
  const dir = freshDir(label);
  const callback = await freePort();
  const problems = [];
  let fx;
  try {
    fx = await startFixture(opt.as, opt['as-cwd'], opt['as-url'] ?? 'http://localhost:{port}', label);
    const issuer = fx.url; // exactly as given: the suite compares it to the metadata's issuer as a string
    let id = opt['as-client-id'];
    let secret = opt['as-client-secret'];
    if (!id) {
      const u = new URL(issuer);
      const meta = await (await fetch(`${u.origin}/.well-known/oauth-authorization-server${u.pathname.replace(/\/$/, '')}`)).json();
      const reg = await fetch(meta.registration_endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'conformance harness',
          redirect_uris: [`http://127.0.0.1:${callback}/callback`],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
          application_type: 'native',
        }),
      });
      const info = await reg.json();
      if (!info.client_id) throw new Error(`registration answered ${reg.status} ${JSON.stringify(info).slice(0, 300)}`);
      id = info.client_id;
    }
    const args = ['authorization', '--url', issuer, '--client-id', id, '--port', String(callback), '-o', dir];
    if (secret) args.push('--client-secret', secret);
    if (opt['as-resource']) args.push('--resource', opt['as-resource']);
    // The suite prints the page before it listens for the callback: visited at once, the callback may be refused.
    let page;
    let listens = false;
    let visited = false;
    const r = await suite(args, {
      timeoutMs: 60_000,
      onLine: (line) => {
        if (/^https?:\S*code_challenge=/.test(line.trim())) page ??= line.trim();
        listens ||= line.startsWith('Callback server started');
        if (visited || page === undefined || !listens) return;
        visited = true;
        follow(page).catch((e) => problems.push(`following the authorization redirect: ${e.message}`));
      },
    });
    writeFileSync(join(dir, 'suite.log'), r.text);
  } catch (e) {
    problems.push(e.message);
  } finally {
    await fx?.stop();
  }
  const got = readChecks(dir);
  addLeg(label, ['authorization-server-metadata-endpoint', 'authorization-code-grant'], (n) => got.get(n), undefined, { harness: problems });
}

async function follow(url) {
  let cookies = '';
  for (let i = 0; i < 10; i++) {
    const r = await fetch(url, { redirect: 'manual', headers: cookies ? { cookie: cookies } : {} });
    const set = r.headers.getSetCookie?.() ?? [];
    if (set.length) cookies = [cookies, ...set.map((c) => c.split(';')[0])].filter(Boolean).join('; ');
    const next = r.headers.get('location');
    if (!next) return;
    url = new URL(next, url).href;
  }
}

// ---------------------------------------------------------------- go

const all = await listScenarios();
if (all.server.length === 0) throw new Error('the suite listed no scenarios');
say(`suite ${pinned}: ${all.server.length} server, ${all.client.length} client, ${all.authorization.length} authorization-server scenarios`);

const haveServer = Boolean(opt.server || opt['server-url']);
for (let i = 0; i < Number(opt.repeat); i++) {
  for (const revision of revisions) {
    if (legs.has('server') && haveServer) await serverRequirements(revision);
    if (legs.has('client') && opt.client) await clientRequirements(revision);
  }
  if (legs.has('legacy')) await legacy(all);
  if (legs.has('extensions')) await extensions(all);
  if (legs.has('authorization') && (opt.as || opt['as-url'])) await authorization();
}

// ---------------------------------------------------------------- report

const floor = opt.floor ? JSON.parse(readFileSync(opt.floor, 'utf8')) : undefined;
const short = [];
const oneLine = (t) => t.split('\n').map((l) => l.trim()).filter(Boolean).join(' | ').slice(0, 400);

// Whether this call was asked for the leg at all, so that a floor for more legs can be used for fewer.
function wanted(label) {
  if (label.startsWith('authorization')) return legs.has('authorization') && Boolean(opt.as || opt['as-url']);
  const [side, what] = label.split(' ');
  if (side === 'server' ? !haveServer : !opt.client) return false;
  if (what === 'other') return legs.has('extensions');
  if (LEGACY.includes(what)) return legs.has('legacy');
  return legs.has(side) && revisions.includes(what);
}

for (const leg of report) {
  const extra = [
    leg.scenarios.bySuite !== leg.scenarios.passed ? `${leg.scenarios.bySuite}/${leg.scenarios.total} by the suite's own scoring` : '',
    pending && leg.detail.some((s) => pending.test(s.name)) ? `${leg.detail.filter((s) => pending.test(s.name) && !s.ok).length} not passed are pending` : '',
    leg.checks.skipped ? `${leg.checks.skipped} skipped` : '',
    leg.checks.warnings ? `${leg.checks.warnings} warnings` : '',
    leg.unstable ? 'UNSTABLE across repeats' : '',
    ...leg.problems.map(oneLine),
  ].filter(Boolean);
  console.log(
    `${leg.label}: ${leg.scenarios.passed}/${leg.scenarios.total} scenarios, ${leg.checks.passed}/${leg.checks.total} checks` +
      (extra.length ? ` (${extra.join('; ')})` : ''),
  );
  if (!opt.quiet) {
    for (const s of leg.detail) {
      if (pending?.test(s.name) && !opt.verbose) continue;
      const shown = opt.verbose ? s.faults : s.faults.slice(0, 2);
      for (const f of shown) console.log(`    ${s.name}: ${f}`);
      if (shown.length < s.faults.length) console.log(`    ${s.name}: and ${s.faults.length - shown.length} more`);
    }
  }
  const want = floor?.legs?.[leg.label];
  if ((leg.scored || opt.all) && !floor) {
    const due = leg.detail.filter((s) => !pending?.test(s.name));
    const pct = due.length === 0 ? 100 : (100 * due.filter((s) => s.ok).length) / due.length;
    if (pct < Number(opt.threshold)) short.push(`${leg.label} is at ${pct.toFixed(1)}%, under ${opt.threshold}%`);
  }
  if (want) {
    if (leg.scenarios.passed < want.scenarios) short.push(`${leg.label} passes ${leg.scenarios.passed} scenarios, the floor is ${want.scenarios}`);
    // How many checks a client's flow emits depends on the flow, so compare what failed, not what passed.
    const bad = leg.checks.total - leg.checks.passed;
    if (bad > want.ofChecks - want.checks) short.push(`${leg.label} fails ${bad} checks, the floor fails ${want.ofChecks - want.checks}`);
  }
  if (leg.scored && leg.problems.length) short.push(`${leg.label}: ${leg.problems.map(oneLine).join('; ')}`);
  if (leg.scored && leg.unstable) short.push(`${leg.label} was not the same on every repeat`);
}
if (floor) for (const label of Object.keys(floor.legs)) if (!only && wanted(label) && !report.some((l) => l.label === label)) short.push(`${label} did not run`);
if (report.length === 0) short.push('nothing ran');

if (opt.json) writeFileSync(opt.json, JSON.stringify({ suite: pinned, legs: report }, null, 2) + '\n');
if (opt['write-floor']) {
  const legsOut = Object.fromEntries(report.map((l) => [l.label, { scenarios: l.scenarios.passed, of: l.scenarios.total, checks: l.checks.passed, ofChecks: l.checks.total }]));
  writeFileSync(opt['write-floor'], JSON.stringify({ suite: pinned, legs: legsOut }, null, 2) + '\n');
}
if (short.length) {
  console.log(`\nfalls short:\n${short.map((s) => `  ${s}`).join('\n')}`);
  process.exit(1);
}
console.log('\nmeets the bar');
