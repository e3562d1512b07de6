import express, { type Express } from "express";

export const app: Express = express();
app.use(express.json());
app.post("/orders", (request, response) => {
  response.status(201).json({ ordered: (request.body as { item: string }).item });
});
