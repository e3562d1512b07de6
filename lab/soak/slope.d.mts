/** A sample: `y` was held after `x` operations. */
interface Point {
  readonly x: number;
  readonly y: number;
}

export function lowerEnvelope(points: readonly Point[]): Point[];
export function theilSen(points: readonly Point[]): number;
