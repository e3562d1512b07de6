// Whether a row costs more CPU time than before.
import { median } from './stats.mjs';

/** The least loss that counts. Medians of builds that differ in nothing that a call runs were 0.73 to 1.13, on machines with other programs. */
const LEAST = 0.2;

/**
 * @param before CPU time of the windows of each round
 * @param now the same of the other build, in the same rounds
 * @returns the median of the ratios now / before, the bound that it must not exceed, and whether it does. The bound widens with the noise of the row:
 *   the median distance of a ratio from the median, as a share of it, three times
 */
export function verdictOf(before, now) {
  const ratios = now.map((us, i) => us / before[i]).filter(Number.isFinite);
  const ratio = median(ratios);
  const noise = median(ratios.map(each => Math.abs(each / ratio - 1)));
  const bound = 1 + Math.max(LEAST, 3 * noise);
  return { ratio, bound, isSlower: ratio > bound };
}
