// A server whose tool has a view: a forecast that the user can look at, and change, inside the chat.
import { apps } from "tenon/ext/apps";
import { McpServer, tool } from "tenon/server";
import * as z from "zod";

const City = z.object({ city: z.string().min(1).max(50) });
const Day = z.object({
  day: z.string(),
  degrees: z.number(),
  sky: z.enum(["sunny", "cloudy", "rainy"]),
});
const Forecast = z.object({ city: z.string(), days: z.array(Day) });

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri"];
const SKIES = ["sunny", "cloudy", "rainy"] as const;

/** Not the real weather: it depends on the letters of the city. */
function forecastOf(city: string): z.output<typeof Forecast> {
  const seed = new TextEncoder()
    .encode(city)
    .reduce((sum, byte) => sum + byte, 0);
  const days = DAYS.map((day, i) => ({
    day,
    degrees: 8 + ((seed * (i + 3)) % 21),
    sky: SKIES[(seed + i * i) % 3]!,
  }));
  return { city, days };
}

export const server = new McpServer(
  { name: "weather", version: "1.0.0" },
  {
    extensions: [apps()],
    tools: {
      // Hosts with views show view.ts; all others show the model the same data as text.
      forecast: tool(
        {
          description: "The weather of the next days",
          input: City,
          output: Forecast,
          ui: { bundle: new URL("./view.ts", import.meta.url) },
        },
        ({ city }) => forecastOf(city),
      ),
      // The view calls this one; hosts do not show it to the model.
      other_city: tool(
        { input: City, output: Forecast, ui: { visibility: ["app"] } },
        ({ city }) => forecastOf(city),
      ),
    },
  },
);
