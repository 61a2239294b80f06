/** Where a coordinator and its interface are found, and the names it answers to. */
import type { Config } from '../config/config.ts';
import { addressText } from '../lib/listen-address.ts';

/** Where others find its HTTP. `port`: the one that is listened on, once it is. */
export function httpAddressOf({ http, httpAdvertise }: Config, port = http.port): string {
  return addressText(httpAdvertise ?? { host: http.host, port });
}

/** What tells a coordinator from others, and is the same when it is started again: an address, unless it has none. */
export function placeOf(config: Config, self: string): string {
  const { grpc, grpcAdvertise = grpc, http, httpAdvertise = http } = config;
  const fixed = [grpcAdvertise, httpAdvertise].find(({ port }) => port !== 0);
  return fixed === undefined ? self : addressText(fixed);
}

export function schemeOf(config: Config): 'http' | 'https' {
  return config.httpTls === undefined ? 'http' : 'https';
}

/** Names that a Host header may hold. All addresses together are no name. */
export function hostsOf({ allowedHosts, http, httpAdvertise }: Config): ReadonlySet<string> {
  const listened = http.host === '0.0.0.0' || http.host === '::' ? [] : [http];
  const own = [...listened, ...(httpAdvertise === undefined ? [] : [httpAdvertise])];
  return new Set([...allowedHosts, ...own.map(({ host }) => hostName(host.toLowerCase()))]);
}

/** As a Host header has it. */
function hostName(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
