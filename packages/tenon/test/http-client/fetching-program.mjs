// Makes one call over HTTP and ends without closing the client: `node fetching-program.mjs <url> [name of the module of the client]`.
const [, , url, client = "tenon/client"] = process.argv;
const { connect } = await import(client);
const { tools } = await (await connect({ url })).listTools();
const dispatcher = globalThis[Symbol.for("undici.globalDispatcher.1")];
console.log(`${tools.length} tools, ${dispatcher === undefined ? "no" : "a"} dispatcher`);
