// Buttons that add the documentation, as an MCP server, to the hosts that take a link; commands for the others. The table of
// hosts is the one that the library and `tenon install` have.
import { defineComponent, h, ref } from "vue";
import { HOST_FORMS } from "../../../packages/tenon/src/server/http/welcome/host-entries.ts";

const NAME = "tenon-docs";
const ENTRY = { command: "npx", args: ["-y", "tenon-cli", "docs", "--mcp"] };
const SHELL = [ENTRY.command, ...ENTRY.args].join(" ");
const COMMANDS = [
  ["Claude Code", `claude mcp add ${NAME} -- ${SHELL}`],
  ["Codex", `codex mcp add ${NAME} -- ${SHELL}`],
];

export const AddDocs = defineComponent(() => {
  const copied = ref("");
  const copy = async (command) => {
    await navigator.clipboard.writeText(command);
    copied.value = command;
  };
  const links = Object.values(HOST_FORMS).filter(({ link }) => link !== undefined);
  return () =>
    h("div", { class: "add-docs" }, [
      ...links.map(({ name, link }) => h("a", { class: "add-button", href: link(NAME, ENTRY) }, `Add to ${name}`)),
      ...COMMANDS.map(([host, command]) =>
        h("button", { class: "add-button", type: "button", title: command, onClick: () => copy(command) }, [
          copied.value === command ? `Copied: paste it in a terminal` : `Copy the command for ${host}`,
        ]),
      ),
    ]);
});
