// The script of a host page on the official `AppBridge`: it shows a view in a frame, and records what it receives.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const official = {
  told: [],
  bridge: undefined,

  async mount(html) {
    const tell = (name, value) => void official.told.push([name, value]);
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    document.body.append(frame);
    const capabilities = {
      openLinks: {},
      serverTools: {},
      serverResources: {},
      logging: {},
      updateModelContext: {},
      message: {},
      downloadFile: {},
      sampling: {},
    };
    const hostContext = { theme: "dark", availableDisplayModes: ["inline", "fullscreen"] };
    const bridge = new AppBridge(null, { name: "official", version: "1" }, capabilities, { hostContext });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a property of the official class
    bridge.onmessage = (params) => Promise.resolve((tell("message", params), {}));
    bridge.onopenlink = (params) =>
      Promise.resolve((tell("link", params), params.url.includes("refused") ? { isError: true } : {}));
    bridge.onupdatemodelcontext = (params) => Promise.resolve((tell("context", params), {}));
    bridge.onrequestdisplaymode = ({ mode }) => Promise.resolve({ mode });
    bridge.ondownloadfile = (params) => Promise.resolve((tell("download", params), {}));
    bridge.oncreatesamplingmessage = () =>
      Promise.resolve({ role: "assistant", model: "m", content: { type: "text", text: "sampled" } });
    bridge.oncalltool = ({ name, arguments: args }) =>
      Promise.resolve({ content: [{ type: "text", text: name }], structuredContent: { args } });
    bridge.onreadresource = ({ uri }) => Promise.resolve({ contents: [{ uri, text: "Buy milk" }] });
    bridge.onloggingmessage = (params) => tell("log", params);
    bridge.onsizechange = (params) => tell("size", params);
    bridge.onrequestteardown = () => tell("teardown", null);
    const ready = new Promise((resolve) => (bridge.oninitialized = () => resolve()));
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
    frame.srcdoc = html;
    await ready;
    official.bridge = bridge;
  },
};

globalThis.official = official;
