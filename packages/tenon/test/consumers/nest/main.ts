import "reflect-metadata";
import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { connect } from "tenon/client";
import { toNodeHandler } from "tenon/node";
import { McpServer } from "tenon/server";
import * as z from "zod";

const server = new McpServer({ name: "sums", version: "1.0.0" });
server.tool("add", { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => a + b);

@Controller()
class Hello {
  @Get()
  hello(): string {
    return "Hello";
  }
}

@Module({ controllers: [Hello] })
class App {}

async function main(): Promise<void> {
  const app = await NestFactory.create(App, { logger: false });
  app.use("/mcp", toNodeHandler(server));
  await app.listen(0, "127.0.0.1");
  const url = await app.getUrl();
  console.log(await (await fetch(url)).text());
  const client = await connect(`${url}/mcp`);
  console.log((await client.callTool("add", { a: 1, b: 2 })).text);
  await client.close();
  await app.close();
}

void main();
