import type { XmcpConfig } from "xmcp";

const config: XmcpConfig = { http: { port: 38461, host: "127.0.0.1" }, paths: { prompts: false, resources: false } };

export default config;
