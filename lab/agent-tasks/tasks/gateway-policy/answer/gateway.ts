import { createGateway } from "tenon/gateway";
import { serveHttp } from "tenon/node";

const serverOf = (file: string) => ({ command: "npx", args: ["tsx", file] });
const gateway = createGateway({
  servers: { files: serverOf("files.ts"), mail: serverOf("mail.ts") },
  policy: ({ annotations }) => annotations.readOnlyHint === true,
});
const http = await serveHttp(gateway, { port: Number(process.env["PORT"] ?? 3000) });

process.once("SIGTERM", async () => {
  await http.drain(3_000);
  await gateway.close();
});
