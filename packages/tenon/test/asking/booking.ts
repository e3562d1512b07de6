/** The booking of the design, word for word, with an airline that counts what it was told to do. */
import { McpServer, type RequestStateOptions } from "tenon";
import * as z from "zod";

const Trip = z.object({ from: z.string(), to: z.string() });
const Seat = z.object({ row: z.int(), letter: z.enum(["A", "B", "C"]) });
const Booking = z.object({ seat: z.string(), price: z.number() });

interface Hold {
  seat: string;
  price: number;
}

export class Airline {
  readonly told: string[] = [];

  hold(trip: { from: string; to: string }, { row, letter }: { row: number; letter: string }): Hold {
    this.told.push(`hold ${trip.from}-${trip.to} ${row}${letter}`);
    return { seat: `${row}${letter}`, price: 90 };
  }

  async pay(hold: Hold): Promise<Hold> {
    await Promise.resolve();
    this.told.push(`pay ${hold.price}`);
    return hold;
  }
}

export function bookingServer(airline: Airline, requestState?: RequestStateOptions): McpServer {
  const server = new McpServer(
    { name: "airline", version: "1.0.0" },
    { onError: () => undefined, ...(requestState && { requestState }) },
  );
  server.tool("book", { input: Trip, output: Booking }, async (trip, ctx) => {
    const seat = await ctx.elicit("seat", { message: "Which seat?", schema: Seat }); // accept | decline | cancel
    if (seat.action !== "accept") return ctx.fail("Nothing was booked.");
    const hold = await ctx.step("hold", () => airline.hold(trip, seat.content)); // runs once per call
    if (!(await ctx.confirm("pay", `Pay ${hold.price}?`))) return ctx.fail("Not paid.");
    return ctx.step("pay", () => airline.pay(hold));
  });
  return server;
}
