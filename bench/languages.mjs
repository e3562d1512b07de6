#!/usr/bin/env node
// Servers of Tenon and of the SDKs of Go, Rust, Java and Python, measured by the same driver: `npm run bench:languages`
//   -- --install             builds their programs first (needs those languages; a missing one is named and left out)
//   -- --write               writes the page "Speed", its charts and its figures from this run
//   -- --peers tenon,rmcp    only these      --ways http-2026-json    only these ways of calling, without memory and start
//   -- --every-core          servers that use every core, with Tenon's by `workers`, driven by wrk; prints, and writes bench/out/every-core.json
//   -- --rounds n, --ms n    rounds of a row, and milliseconds of one window      --wait s   seconds to wait for a quiet machine
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install, ready, toolChainVersion } from './languages/install.mjs';
import { EVERY_CORE, everyCore } from './languages/every-core.mjs';
import { LANGUAGES, TABLE, languagePeer } from './languages/peers.mjs';
import { WAYS, calls, memory, start } from './languages/rows.mjs';
import { addPeer, loadPeer } from './peers/index.mjs';
import { gate, noise } from './lib/interleave.mjs';
import { OUT, stopAll } from './lib/proc.mjs';
import { endWithReader } from '../scripts/stdout.mjs';

endWithReader();

const text = { type: 'string' };
const { values: flags } = parseArgs({ options: { install: { type: 'boolean' }, write: { type: 'boolean' }, 'every-core': { type: 'boolean' }, peers: text, ways: text, rounds: text, ms: text, wait: text } });
const isEveryCore = flags['every-core'] === true;
const OURS = ['raw', 'tenon', 'official-v2'];
// A server whose code is compiled while it runs has its steady CPU time of a call after 30,000 to 50,000 calls; a slow one has 5 seconds to get there.
const cfg = { rounds: Number(flags.rounds ?? 5), ms: Number(flags.ms ?? 600), warmCalls: 100_000, warmMaxMs: 5000, memoryRounds: 3, startRounds: 9, ...(isEveryCore && { seconds: Math.max(1, Math.round(Number(flags.ms ?? 2000) / 1000)) }) };
gate.budgetMs = Number(flags.wait ?? 60) * 1000;

const log = line => console.error(line);
const chosen = (all, wanted, what) => {
  const ids = wanted?.split(',') ?? all;
  const unknown = ids.find(id => !all.includes(id));
  if (unknown !== undefined) {
    log(`There is no ${what} ${unknown}. There are: ${all.join(', ')}`);
    process.exit(1);
  }
  return all.filter(id => ids.includes(id));
};
const wanted = chosen(isEveryCore ? EVERY_CORE : [...OURS, ...LANGUAGES], flags.peers, 'peer');
const ways = chosen(WAYS.filter(({ kind }) => !isEveryCore || kind === 'http').map(({ id }) => id), flags.ways, 'way').map(id => WAYS.find(way => way.id === id));
if (flags.write && (flags.peers ?? flags.ways ?? flags['every-core']) !== undefined) {
  log('The page has all peers and all ways: leave out --peers, --ways and --every-core with --write');
  process.exit(1);
}

if (flags.install) {
  install([...new Set(wanted.filter(id => LANGUAGES.includes(id)).map(id => TABLE[id].language))], log);
  if (!flags.write) process.exit(0);
}
const { ids, leftOut } = ready(wanted.filter(id => LANGUAGES.includes(id)));
for (const { id, why } of leftOut) log(`${TABLE[id].label} is left out: ${why}`);
const peers = await Promise.all(OURS.filter(id => wanted.includes(id)).map(loadPeer));
for (const id of ids) {
  const peer = languagePeer(id);
  addPeer(peer);
  peers.push(peer);
}

const npmVersion = name => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
const versionOf = ({ id, versions }) => versions ?? { raw: 'no SDK', tenon: `tenon ${npmVersion('tenon')}`, 'official-v2': `@modelcontextprotocol/server ${npmVersion('@modelcontextprotocol/server')}` }[id];
const results = {
  date: new Date().toISOString(),
  cfg,
  machine: { cpus: os.cpus().length, cpu: os.cpus()[0]?.model ?? '', system: `${os.platform()} ${os.release().split('-')[0]}`, node: process.versions.node },
  toolChains: Object.fromEntries([...new Set(ids.map(id => TABLE[id].language))].map(language => [language, toolChainVersion(language)])),
  peers: peers.map(peer => ({ id: peer.id, label: TABLE[peer.id]?.label ?? { raw: 'raw Node', tenon: 'Tenon', 'official-v2': 'official TypeScript' }[peer.id], version: versionOf(peer), ...(peer.foreign && { setUp: peer.note }) })),
  leftOut: leftOut.map(({ id, why }) => ({ label: TABLE[id].label, why: why.split(':')[0] })),
  calls: [], memory: [], start: [], failed: []
};

const started = performance.now();
const callsOf = isEveryCore ? everyCore : calls;
const steps = [...ways.map(way => [way.id, async () => results.calls.push(...(await measured(way.id, callsOf(way, { peers, cfg, log }))))])];
if (flags.ways === undefined && !isEveryCore) {
  steps.push(['memory', async () => results.memory.push(...(await measured('memory', memory({ peers, cfg, log }))))]);
  steps.push(['start', async () => results.start.push(...(await measured('start', start({ peers, cfg, log }))))]);
}

/** The rows of a step; what failed is kept with the name of the step. */
async function measured(name, step) {
  const { rows, failed } = await step;
  results.failed.push(...failed.map(one => ({ step: name, ...one })));
  return rows;
}

for (const [index, [name, run]] of steps.entries()) {
  log(`[${index + 1}/${steps.length}] ${name}, after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  try {
    await run();
  } catch (error) {
    results.failed.push({ step: name, peer: '', error: error.message });
    log(`  ! ${error.stack}`);
  }
  for (const { inFlight, peer, perSecond, cpuUs, driverUs, p99 } of results.calls.filter(({ way }) => way === name))
    log(`  ${String(inFlight).padStart(2)} in flight  ${peer.padEnd(16)} ${perSecond.toFixed(0).padStart(7)} calls/s ${cpuUs.toFixed(0).padStart(6)} µs CPU  p99 ${p99.toFixed(2)} ms${driverUs === undefined ? '' : `  wrk ${driverUs.toFixed(1)} µs`}`);
  if (name === 'memory') for (const { peer, start, sessions } of results.memory) log(`  ${peer.padEnd(16)} ${(start / 2 ** 20).toFixed(0)} MiB, with 1,000 sessions ${(sessions / 2 ** 20).toFixed(0)} MiB`);
  if (name === 'start') for (const { peer, ms } of results.start) log(`  ${peer.padEnd(16)} ${ms.toFixed(0)} ms`);
}
await stopAll();
results.seconds = Math.round((performance.now() - started) / 1000);
results.noise = { others: noise.windowMs ? Number((noise.othersMs / noise.windowMs).toFixed(2)) : 0, disturbed: noise.disturbed, windows: noise.windows };
mkdirSync(OUT, { recursive: true });
const file = join(OUT, isEveryCore ? 'every-core.json' : 'languages.json');
writeFileSync(file, JSON.stringify(results, null, 1));
log(`${results.seconds} s; other programs used ${results.noise.others} cores on average; written: ${file}`);
for (const { step, peer, error } of results.failed) log(`failed: ${step} ${peer}: ${error}`);
if (flags.write) process.exitCode = spawnSync(process.execPath, [fileURLToPath(new URL('../scripts/speed.mjs', import.meta.url)), file], { stdio: 'inherit' }).status ?? 1;
process.exit();
