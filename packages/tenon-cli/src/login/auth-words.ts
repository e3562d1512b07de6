/** Rewrites messages about failed authorization for users of the command: options of the library become options of the command. */

const WORDS: readonly (readonly [library: string, command: string])[] = [
  ['(option "allowPrivateNetwork")', "(--allow, with the network or host)"],
  ['(option "allowedPorts")', "(--allow, with :port)"],
  ['(option "allowLoopback")', "(--allow localhost)"],
  [', or raise option "fetchTimeout"', ""],
  ['raise option "loginTimeout"', "give more time with --timeout"],
  ['Raise option "maxDocumentBytes" if that server is to be trusted.', "The operator of that server must repair this."],
  ['change option "issuer"', "name it with --issuer"],
  ['pass it in option "client"', "pass it with --client-id"],
  ['in option "headers" instead of "auth"', "with --header"],
  ['in option "headers"', "with --header"],
  ['(option "scope")', "(--scope)"],
  ['turn option "dpop" off, if a token without it is acceptable', "the operator of the MCP server must name one that does"],
  ['allow it with option "onIssuerChange", and pass', "tenon logout, then log in again with"],
  ['(option "resource")', "(--resource, with the name or none)"],
  ['name it (option "issuer") and say so (option "assumePkce")', "log in with --issuer and --assume-pkce"],
  ['(option "port")', "(--port)"],
  ['Show the page in another way (option "open"), or use another grant, such as deviceCode().', "Use --no-browser or --device."],
  ['Pass the key it was written with (option "key"), or delete', "Delete"],
  ['(option "directory")', "(XDG_CONFIG_HOME)"],
  ["Use oauth() with a browser there.", "Log in without --device."],
  ["Use a grant without a user there.", "Log in with --device, or pass what the server wants with --header."],
];

export function toCommandWords(text: string): string {
  return WORDS.reduce((said, [library, command]) => said.replaceAll(library, command), text);
}
