// The chart of speed as SVG: bars of the SDKs in four scenarios. Its colours can be read on white and on black, because a
// page in the dark theme cannot tell an image so.

/** What the chart shows: calls of a tool on a server. The page has every row. */
const GROUPS = [
  { title: "stdio, 64 calls in flight", scenario: "stdio", variant: "era 2025, 64 in flight" },
  { title: "stdio, one call at a time", scenario: "stdio", variant: "era 2025, sequential" },
  { title: "HTTP with sessions, 16 connections", scenario: "http-2025", variant: "json, concurrency 16" },
  { title: "HTTP of 2026-07-28, 16 connections", scenario: "http-2026", variant: "json, concurrency 16" },
];
const TEXT = "#7d8590";
const BARS = { tenon: "#d9772b" };
const OTHERS = "#8c959f";
const [WIDTH, LEFT, RIGHT, BAR, GAP, HEAD] = [760, 110, 70, 16, 6, 24];

/** @param figures what benchmarks.json holds */
export function speedChart({ peers, rows }) {
  const groups = GROUPS.map((group) => ({
    ...group,
    bars: rows
      .filter(({ scenario, variant }) => scenario === group.scenario && variant === group.variant)
      .sort((a, b) => b.ofRaw - a.ofRaw),
  }));
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ ofRaw }) => ofRaw)));
  const scale = (WIDTH - LEFT - RIGHT) / most;
  let y = 8;
  const parts = [];
  for (const { title, bars } of groups) {
    parts.push(`<text x="0" y="${y + 14}" font-weight="600">${title}</text>`);
    y += HEAD;
    for (const { peer, ofRaw } of bars) {
      const width = Math.max(1, Math.round(ofRaw * scale));
      parts.push(
        `<text x="${LEFT - 8}" y="${y + 12}" text-anchor="end">${peers[peer]}</text>`,
        `<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR}" rx="3" fill="${BARS[peer] ?? OTHERS}"/>`,
        `<text x="${LEFT + width + 8}" y="${y + 12}">${Math.round(Number(ofRaw.toFixed(2)) * 100)} %</text>`,
      );
      y += BAR + GAP;
    }
    y += 12;
  }
  const limit = LEFT + Math.round(scale);
  parts.push(`<line x1="${limit}" y1="8" x2="${limit}" y2="${y - 12}" stroke="${TEXT}" stroke-dasharray="3 4"/>`);
  parts.push(`<text x="${limit}" y="${y + 4}" text-anchor="middle">raw limit</text>`);
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 12}" width="${WIDTH}" height="${y + 12}" role="img"`;
  const style = `font-family="system-ui, -apple-system, Segoe UI, sans-serif" font-size="13" fill="${TEXT}"`;
  return `${head} ${style}>\n<title>Calls of a tool, as a share of the raw limit</title>\n${parts.join("\n")}\n</svg>\n`;
}
