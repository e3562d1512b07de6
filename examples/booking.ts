// A tool that asks its user while it runs: a form, a reservation, a confirmation, the payment. Written in a straight line
// and served to every client that can be asked. Try it in a terminal:
//   npx tenon call examples/booking.ts book --arg from=BER --arg to=LIS
import { McpServer } from "tenon/server";
import * as z from "zod";

const Trip = z.object({ from: z.string(), to: z.string() });
const Seat = z.object({
  row: z.int().min(1).max(30),
  letter: z.enum(["A", "B", "C"]),
});
const Booking = z.object({
  seat: z.string(),
  price: z.number(),
  paid: z.boolean(),
});

type Hold = { seat: string; price: number };

/** A stand-in for the airline's API, which must do nothing for a key that it has seen, and return what it returned then. */
const airline = {
  hold: (
    _trip: z.infer<typeof Trip>,
    { row, letter }: z.infer<typeof Seat>,
    _key: string,
  ): Hold => ({
    seat: `${row}${letter}`,
    price: 60 + row,
  }),
  pay: (hold: Hold, _key: string) => ({ ...hold, paid: true }),
};

export const server = new McpServer({ name: "airline", version: "1.0.0" });

server.tool(
  "book",
  { description: "Book a seat", input: Trip, output: Booking },
  async (trip, ctx) => {
    const seat = await ctx.elicit("seat", {
      message: "Which seat?",
      schema: Seat,
    }); // accept | decline | cancel
    if (seat.action !== "accept") return ctx.fail("Nothing was booked.");
    const hold = await ctx.step("hold", ({ key }) =>
      airline.hold(trip, seat.content, key),
    ); // once per call
    if (
      !(await ctx.confirm("pay", `Pay ${hold.price} for seat ${hold.seat}?`))
    )
      return ctx.fail("Not paid.");
    return ctx.step("pay", ({ key }) => airline.pay(hold, key)); // with the key even if the process dies
  },
);
