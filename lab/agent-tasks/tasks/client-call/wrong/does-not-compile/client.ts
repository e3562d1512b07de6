import { connect } from "tenon/client";

const [url, a, b] = process.argv.slice(2);
await using client = await connect(url);
const { data } = await client.callTool<{ sum: number }>("add", { a: Number(a), b: Number(b) });
console.log(data.sum);
