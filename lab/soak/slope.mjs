// Whether something grows: the lower envelope of samples, and its slope by Theil and Sen. A few cycles of a healthy server look
// like a leak, and garbage makes a sawtooth without slope: the lowest of several samples, and the median of all slopes, are
// misled by neither.

const WINDOW = 5;

const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** The lowest of each `WINDOW` samples that follow each other, at the place where it was taken. */
export function lowerEnvelope(points) {
  const lowest = [];
  for (let at = 0; at + WINDOW <= points.length; at++) {
    const window = points.slice(at, at + WINDOW);
    lowest.push(window.reduce((least, point) => (point.y < least.y ? point : least)));
  }
  return lowest;
}

/** The median slope of all pairs of points `{ x, y }`; 0 if there is no pair. */
export function theilSen(points) {
  const slopes = [];
  for (const [index, a] of points.entries()) {
    for (const b of points.slice(index + 1)) if (b.x !== a.x) slopes.push((b.y - a.y) / (b.x - a.x));
  }
  return slopes.length === 0 ? 0 : median(slopes);
}
