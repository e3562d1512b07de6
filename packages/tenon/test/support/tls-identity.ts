/**
 * A certificate for `mcp.corp.test`, a name that leads nowhere, and its key: for servers of tests that are reached over TLS.
 *
 * It signs itself and no system trusts it: a test names it in `NODE_EXTRA_CA_CERTS`. Its key is no secret.
 */
export const TLS_HOST = "mcp.corp.test";

export const TLS_KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIFwcQK1AWNtdQ74klJGAZYD7m6Ps2HfW78iERrEHty0RoAoGCCqGSM49
AwEHoUQDQgAEr7EMEslNI3qROFUFMrOHItCzrbtvzUxOPZJ+PIMwx4WKTyM8CVEi
RWWsJMaPNdYG5ACp2kzSnX/L/H/zKkS/SQ==
-----END EC PRIVATE KEY-----
`;

export const TLS_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUXVBSRLqWn895X2DuKePBQbbxlNQwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNbWNwLmNvcnAudGVzdDAgFw0yNjExMjgwMzUzMTZaGA8yMTI2
MTEwNDAzNTMxNlowGDEWMBQGA1UEAwwNbWNwLmNvcnAudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABK+xDBLJTSN6kThVBTKzhyLQs627b81MTj2SfjyDMMeF
ik8jPAlRIkVlrCTGjzXWBuQAqdpM0p1/y/x/8ypEv0mjbTBrMB0GA1UdDgQWBBRG
pkPmAOf+lrqloFbTndAdWJRXCjAfBgNVHSMEGDAWgBRGpkPmAOf+lrqloFbTndAd
WJRXCjAYBgNVHREEETAPgg1tY3AuY29ycC50ZXN0MA8GA1UdEwEB/wQFMAMBAf8w
CgYIKoZIzj0EAwIDSAAwRQIhALVJFonj2rM+qqT580yEW8QFcM6SyvXqccVlNjQA
eAriAiBfJFz6TgqTvchd7LbOt3c1HEZzzWCRpLanTqhwx4nfVw==
-----END CERTIFICATE-----
`;
