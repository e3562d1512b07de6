// The figures of the page: those that it has, and those of a further run of the benchmark.

/** Cores that other processes may use during a run, on average. */
const MOST_OTHERS = 0.25;

/**
 * The figures with those of a run. A row that the run measured replaces the one that was there; rows that it did not measure stay.
 * @throws Error if other processes disturbed the run
 */
export function withRun(figures, { date, profile, machine, noise, peers, rows }) {
  if (noise.others > MOST_OTHERS) throw new Error(`Other processes used ${noise.others} cores during this run: measure on a quiet machine`);
  const run = figures.runs.length;
  const costs = rows.filter(({ scenario, failed }) => scenario === "gateway" && !failed).flatMap((row) => costsOf(row, run));
  const costKeys = new Set(costs.map(costKey));
  const ways = rows.filter(({ scenario, failed }) => scenario === "ways" && !failed).flatMap((row) => wayOf(row, run));
  const wayKeys = new Set(ways.map(wayKey));
  const shown = rows.filter(({ peer, ratios, failed }) => peer !== "raw" && !failed && ratios.rps?.raw !== undefined);
  const measured = shown.map(({ scenario, variant, peer, ratios, metrics }) => {
    return { scenario, variant, peer, run, ofRaw: ratios.rps.raw.median, perSecond: Math.round(metrics.rps.median) };
  });
  const keys = new Set(measured.map(keyOf));
  const isNew = ({ id }) => figures.peers[id] === undefined && measured.some(({ peer }) => peer === id);
  const labels = peers.filter(isNew).map(({ id, label }) => [id, label]);
  const what = `${[...new Set([...measured.map(({ scenario }) => scenario), ...costs.map(() => "gateway"), ...ways.map(() => "ways")])].join(", ")}: run of ${date.slice(0, 10)}, ${profile} profile`;
  return withoutUnusedRuns({
    machine: `${machine.cpus} cores, Node ${machine.node}`,
    runs: [...figures.runs, { what }],
    peers: { ...figures.peers, ...Object.fromEntries(labels) },
    rows: [...figures.rows.filter((row) => !keys.has(keyOf(row))), ...measured],
    costs: [...(figures.costs ?? []).filter((cost) => !costKeys.has(costKey(cost))), ...costs],
    ways: [...(figures.ways ?? []).filter((way) => !wayKeys.has(wayKey(way))), ...ways],
  });
}

/** Figures of gateways that have no raw limit, by the metric: bytes of a user, and how many times as long the slowest calls take. */
function costsOf({ variant, peer, metrics }, run) {
  const kept = Object.entries(metrics).filter(([metric]) => /^(heap|rss)\d+$|^p99Times$/.test(metric));
  return kept.map(([metric, { median, min, max }]) => ({ variant, peer, metric, run, median, min, max }));
}

/** A call with something added: its CPU time, and the share that the plain call has of it, which the plain call itself lacks. */
function wayOf({ variant, peer, metrics: { share, cpuUs } }, run) {
  return share === undefined ? [] : [{ variant, peer, run, share: share.median, cpuUs: cpuUs.median }];
}

const wayKey = ({ variant, peer }) => `${variant}|${peer}`;
const costKey = ({ variant, peer, metric }) => `${variant}|${peer}|${metric}`;
const keyOf = ({ scenario, variant, peer }) => `${scenario}|${variant}|${peer}`;

/** Drops the runs of which no figure is left. */
function withoutUnusedRuns(figures) {
  const all = [...figures.rows, ...figures.costs, ...figures.ways];
  const used = figures.runs.map((_, run) => all.some((row) => row.run === run));
  const place = (run) => used.slice(0, run).filter(Boolean).length;
  const moved = (rows) => rows.map((row) => ({ ...row, run: place(row.run) }));
  return {
    ...figures,
    runs: figures.runs.filter((_, run) => used[run]),
    rows: moved(figures.rows),
    costs: moved(figures.costs),
    ways: moved(figures.ways),
  };
}
