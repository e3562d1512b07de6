// Makes one call over HTTP (after a request of its own, with FETCH_FIRST) and ends without closing the client: `node
// fetching-program.mjs <url> [name of the module of the client]`.
const [, , url, client = "tenon/client"] = process.argv;
if (process.env["FETCH_FIRST"] === "1") await (await fetch(url, { method: "POST", body: "{}" })).text();
const { connect } = await import(client);
const { tools } = await (await connect({ url })).listTools();
// Where undici 7 and older keep it, and where undici 8 does: Node 26 has that one.
const isSet = [1, 2].some((version) => Symbol.for(`undici.globalDispatcher.${version}`) in globalThis);
console.log(`${tools.length} tools, ${isSet ? "a" : "no"} dispatcher`);
