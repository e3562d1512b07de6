/** Asking in a straight line: the booking of the design, over every transport and revision that has a way to ask. */
import { expect, it } from "vitest";
import type { ConnectOptions, ElicitRequestParams, ElicitResult } from "tenon";
import { describeAsking } from "./ways.ts";
import { Airline, bookingServer } from "./booking.ts";

const trip = { from: "BER", to: "LIS" };

/** Answers the seat, and the payment with `pay`; notes what was asked. */
function passenger(pay: ElicitResult["action"], asked: string[] = []): ConnectOptions {
  return {
    onElicit: (params: ElicitRequestParams): ElicitResult => {
      asked.push(params.message);
      if (params.message === "Which seat?") return { action: "accept", content: { row: 12, letter: "A" } };
      return { action: pay };
    },
  };
}

describeAsking("Booking a seat", ({ connect, stateless }) => {
  it.each([0, 100])("books it, with %i handlers that may wait [requirement H1 requirement H11 L1.3]", async (maxSuspended) => {
    const airline = new Airline();
    const asked: string[] = [];
    const client = await connect(bookingServer(airline, { maxSuspended }), passenger("accept", asked));
    const result = await client.callTool("book", trip);
    expect(result.structuredContent).toEqual({ seat: "12A", price: 90 });
    expect(asked).toEqual(["Which seat?", "Pay 90?"]);
    expect(airline.told).toEqual(["hold BER-LIS 12A", "pay 90"]);
  });

  it("a decline is an answer: the handler gets it, and the question is not asked again [requirement H15 L1.3]", async () => {
    const airline = new Airline();
    const asked: string[] = [];
    const client = await connect(bookingServer(airline), passenger("decline", asked));
    expect(await client.callTool("book", trip)).toMatchObject({ isError: true, text: "Not paid." });
    expect(asked).toEqual(["Which seat?", "Pay 90?"]);
    expect(airline.told).toEqual(["hold BER-LIS 12A"]);
  });

  it("a client without the capability gets an error that names it, and nothing has run [A6.1 requirement H4]", async () => {
    const airline = new Airline();
    const client = await connect(bookingServer(airline));
    await expect(client.callTool("book", trip)).rejects.toMatchObject(
      stateless ? { code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } } : { code: -32600 },
    );
    expect(airline.told).toEqual([]);
  });
});
