import { bearerToken } from "tenon/auth";
import { connect } from "tenon/client";

const [url = "", a, b] = process.argv.slice(2);
const token = process.env["TOKEN"];

try {
  await using client = await connect({ url, ...(token && { auth: bearerToken(token) }) });
  const { data } = await client.callTool<{ sum: number }>("add", { a: Number(a), b: Number(b) });
  console.log(data?.sum);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
