// Shows the name of a file above its block: ```ts [server.ts]. And says of a block that it is what a program prints.

export function titleBlocks(md) {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info } = tokens[index];
    const name = /\[([^\]]+)\]/.exec(info)?.[1] ?? (/\boutput\b/.test(info) ? "Output" : undefined);
    const block = fence(tokens, index, ...rest);
    return name === undefined ? block : `<div class="named-block"><div class="block-name">${md.utils.escapeHtml(name)}</div>${block}</div>`;
  };
}
