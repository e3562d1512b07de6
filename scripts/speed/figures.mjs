// What the page keeps of a run of bench/languages.mjs: rounded figures, and what tells how they were measured.

/** At least these digits: more would be noise. */
const rounded = (value) => Number(value.toPrecision(3));

/**
 * @param run what bench/out/languages.json holds
 * @throws Error if Tenon or the raw program has no figure in a row: then there is nothing to compare with
 */
export function figuresOf({ date, cfg, machine, toolChains, peers, leftOut, calls, memory, start, failed, noise, seconds }) {
  const ways = [...new Set(calls.map(({ way }) => way))];
  const lacks = ways.find((way) => !["raw", "tenon"].every((id) => calls.some((row) => row.way === way && row.peer === id)));
  if (ways.length === 0 || lacks !== undefined)
    throw new Error(`The run has no figures of Tenon or of the raw program for ${lacks ?? "any way of calling"}: run it again`);
  return {
    date: date.slice(0, 10),
    seconds,
    rounds: cfg.rounds,
    machine,
    toolChains,
    others: noise.others,
    peers,
    leftOut,
    failed: failed.map(({ step, peer }) => ({ step, peer })),
    calls: calls.map(({ way, inFlight, peer, perSecond, cpuUs, p50, p99, driverBound }) => ({
      ...{ way, inFlight, peer, perSecond: rounded(perSecond), cpuUs: rounded(cpuUs), p50: rounded(p50), p99: rounded(p99) },
      ...(driverBound && { driverBound: true }),
    })),
    memory: memory.map((row) => ({ peer: row.peer, start: rounded(row.start / 2 ** 20), sessions: rounded(row.sessions / 2 ** 20) })),
    start: start.map(({ peer, ms }) => ({ peer, ms: rounded(ms) })),
  };
}
