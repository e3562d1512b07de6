// The charts of the page "Speed" as SVG: one for each kind of figure, one group of bars for each way of calling. Their colours can be read on white and on
// black, because a page in the dark theme cannot tell an image so.

const TEXT = "#7d8590";
const COLOURS = { tenon: "#d9772b", raw: "#5b6470" };
const OTHERS = "#8c959f";
const [WIDTH, LEFT, RIGHT, BAR, GAP, HEAD] = [560, 136, 84, 16, 6, 26];

/** The ways of calling that the charts show; the tables have all. */
export const SHOWN = [
  { title: "stdio, 2025-11-25, 64 calls in flight", way: "stdio-2025", inFlight: 64 },
  { title: "HTTP with sessions, JSON replies, 16 in flight", way: "http-2025-json", inFlight: 16 },
  { title: "HTTP with sessions, event streams, 16 in flight", way: "http-2025-sse", inFlight: 16 },
  { title: "HTTP of 2026-07-28, JSON replies, 16 in flight", way: "http-2026-json", inFlight: 16 },
];

export const count = (value) => Math.round(value).toLocaleString("en-US");
const microseconds = (value) => `${count(value)} µs`;
const milliseconds = (value) => `${value < 10 ? value.toFixed(1) : count(value)} ms`;
const mebibytes = (value) => `${count(value)} MiB`;

/** Each chart: its file, its title, whether long bars are good, and its groups of bars. */
function charts({ calls, memory, start }) {
  const ways = (member) =>
    SHOWN.map(({ title, way, inFlight }) => {
      const rows = calls.filter((row) => row.way === way && row.inFlight === inFlight);
      return { title, bars: rows.map((row) => ({ peer: row.peer, value: row[member] })) };
    });
  const one = (title, rows, member) => [{ title, bars: rows.map((row) => ({ peer: row.peer, value: row[member] })) }];
  return [
    { name: "calls", title: "Calls a second (longer is better)", isMore: true, shown: count, groups: ways("perSecond") },
    { name: "cpu", title: "CPU time of a call (shorter is better)", shown: microseconds, groups: ways("cpuUs") },
    { name: "p99", title: "The slowest call of a hundred (shorter is better)", shown: milliseconds, groups: ways("p99") },
    {
      name: "memory",
      title: "Memory after the start (shorter is better)",
      shown: mebibytes,
      groups: one("an HTTP server after its first answers", memory, "start"),
    },
    {
      name: "sessions",
      title: "Memory with sessions (shorter is better)",
      shown: mebibytes,
      groups: one("an HTTP server with 1,000 idle sessions", memory, "sessions"),
    },
    {
      name: "start",
      title: "Start (shorter is better)",
      shown: milliseconds,
      groups: one("from the start of the process to the first list of tools, stdio", start, "ms"),
    },
  ];
}

/** The charts by the names of their files. @param figures what speed.json holds */
export function chartsOf(figures) {
  const labels = Object.fromEntries(figures.peers.map(({ id, label }) => [id, label]));
  return Object.fromEntries(charts(figures).map((chart) => [`speed/${chart.name}.svg`, svgOf(chart, labels)]));
}

function svgOf({ title, isMore = false, shown, groups }, labels) {
  let y = 4;
  const parts = [];
  for (const { title: heading, bars } of groups.filter((group) => group.bars.length > 0)) {
    // Each group has a scale of its own: a second way of calling is not longer or shorter than the first.
    const most = Math.max(...bars.map(({ value }) => value));
    parts.push(`<text x="0" y="${y + 14}" font-weight="600">${heading}</text>`);
    y += HEAD;
    for (const { peer, value } of bars.toSorted((a, b) => (isMore ? b.value - a.value : a.value - b.value))) {
      const width = Math.max(1, Math.round((value / most) * (WIDTH - LEFT - RIGHT)));
      const weight = peer === "tenon" ? ' font-weight="600"' : "";
      parts.push(
        `<text x="${LEFT - 8}" y="${y + 12}" text-anchor="end"${weight}>${labels[peer]}</text>`,
        `<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="3" fill="${COLOURS[peer] ?? OTHERS}"/>`,
        `<text x="${LEFT + width + 8}" y="${y + 12}"${weight}>${shown(value)}</text>`,
      );
      y += BAR + GAP;
    }
    y += 12;
  }
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" width="${WIDTH}" height="${y}" role="img"`;
  const style = `font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="13" fill="${TEXT}"`;
  return `${head} ${style}>\n<title>${title}</title>\n${parts.join("\n")}\n</svg>\n`;
}
