import { appendFileSync } from "node:fs";

const log = process.env["AIRLINE_LOG"] ?? "airline.log";

/** Holds a seat, and returns its price. */
export async function hold(seat: string): Promise<number> {
  appendFileSync(log, `hold ${seat}\n`);
  return 60 + seat.length;
}

/** Pays for a seat. */
export async function pay(seat: string): Promise<void> {
  appendFileSync(log, `pay ${seat}\n`);
}
