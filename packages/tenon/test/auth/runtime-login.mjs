// Logs in to a server with whatever runtime runs it: real sockets, a file store, a page that is answered at once; then again
// from the store.
import { connect } from "tenon/client";
import { oauth } from "tenon/auth";
import { fileStore } from "tenon/node";

const [url, directory] = process.argv.slice(2);
const store = fileStore({ directory, key: new Uint8Array(32).fill(1) });
const opened = [];
const open = async (page) => {
  opened.push(page);
  await (await fetch(page)).text();
};
const texts = [];
for (const dpop of [true, true]) {
  const client = await connect(url, { auth: oauth({ store, open, dpop }) });
  texts.push((await client.callTool("echo", { a: 1 })).text);
  await client.close();
}
console.log(JSON.stringify({ texts, pages: opened.length }));
process.exit();
