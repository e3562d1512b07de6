/** `tenon completion`: prints a script that lets a shell complete commands, options and their values. */
import { UsageError } from "../failure.ts";
import type { Command } from "../invocation.ts";

export const SHELLS: readonly string[] = ["bash", "zsh", "fish"];

export const completion: Command = {
  summary: "print a script that completes commands and options in a shell",
  usage: ["completion bash|zsh|fish"],
  options: ["json"],
  examples: ['eval "$(tenon completion bash)"', "tenon completion fish > ~/.config/fish/completions/tenon.fish"],
  about: 'Add the line eval "$(tenon completion bash)" to ~/.bashrc, or the same with zsh to ~/.zshrc.',
  run: async ({ positionals: [shell, ...more] }) => {
    if (shell === undefined || !SHELLS.includes(shell) || more.length > 0) throw new UsageError(`Name one shell: ${SHELLS.join(", ")}.`);
    const script = SCRIPTS[shell as keyof typeof SCRIPTS];
    return { json: { shell, script }, text: () => script };
  },
};

/** Each asks `tenon __complete` with the words so far, and offers files if there is no line. */
const SCRIPTS = {
  bash: `_tenon_complete() {
  local IFS=$'\\n'
  COMPREPLY=($(tenon __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tenon_complete tenon`,
  zsh: `#compdef tenon
_tenon() {
  local -a found
  found=("\${(@f)$(tenon __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _tenon tenon`,
  fish: `function __tenon_complete
  set -l found (tenon __complete (commandline -opc)[2..-1] (commandline -ct | string collect) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tenon -f -a "(__tenon_complete)"`,
} as const;
