/** HAProxy in front of the nodes of a proof: each request goes to the next node that is ready, and none is sent twice. */

export function balancerConfig(port: number, nodes: readonly number[]): string {
  const servers = nodes.map((node, index) => `  server n${index} 127.0.0.1:${node} check`);
  return `defaults
  mode http
  timeout connect 500ms
  timeout client 75s
  timeout server 75s
  retries 2
  option redispatch 1
  retry-on conn-failure
frontend mcp
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
  http-check disable-on-404
  timeout check 1s
  default-server inter 500ms fastinter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}

/** The number of the node that a line of HAProxy's log says to be down. */
export function downIn(line: string): string | undefined {
  return /Server nodes\/n(\d+) is DOWN/.exec(line)?.[1];
}
