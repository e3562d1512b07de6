// Work for the processor that takes no memory, and how much of it takes a millisecond here.

/** Returns a number, so that no engine leaves the work out. */
export function burn(steps) {
  let state = 1;
  for (let step = 0; step < steps; step++) state = (state * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
  return state;
}

/** The steps of one millisecond of the processor. */
export function stepsPerMillisecond() {
  const steps = 3e8;
  burn(steps / 10);
  const before = process.cpuUsage();
  burn(steps);
  return Math.round(steps / (process.cpuUsage(before).user / 1_000));
}
