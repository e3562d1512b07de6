// The authorization server of `tenon/testing` as the conformance suite meets it: its issuer is http://localhost:$PORT.
import { startAuthorizationServer } from "tenon/testing";

const server = await startAuthorizationServer({ host: "localhost", port: Number(process.env.PORT ?? 3001) });
console.error(`issuer: ${server.issuer}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => void server.close());
