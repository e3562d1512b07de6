/** Serves the API of the US National Weather Service: its document names two operations that a model needs. */
import { fromOpenApi } from "tenon/openapi";
import { McpServer } from "tenon/server";

const document = `
openapi: 3.1.0
info: { title: Weather, version: 1.0.0 }
servers: [{ url: "https://api.weather.gov" }]
paths:
  /alerts/active:
    get:
      operationId: activeAlerts
      summary: Active weather alerts
      parameters:
        - { name: area, in: query, explode: false, schema: { type: array, items: { type: string } }, description: "States, such as CA" }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 500 } }
  /points/{latitude},{longitude}:
    get:
      operationId: point
      summary: The forecast office and the forecast URLs of a place
      parameters:
        - { name: latitude, in: path, required: true, schema: { type: number } }
        - { name: longitude, in: path, required: true, schema: { type: number } }
`;

// Another API in place of the real one, for tests: npx tenon list examples/openapi.ts --env WEATHER_URL=http://127.0.0.1:8080
const baseUrl = process.env["WEATHER_URL"];
const api = await fromOpenApi(document, {
  ...(baseUrl !== undefined && { baseUrl }),
  onError: console.error,
});

export const server = new McpServer(
  { name: "weather", version: "1.0.0" },
  { tools: api.tools },
);
