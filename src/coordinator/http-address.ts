/** The addresses and host names under which a coordinator is reached. */
import type { Config } from '../config/config.ts';
import { addressText } from '../lib/listen-address.ts';

/** The address at which others reach its HTTP server, `host:port`. `port`: the actual one, once it listens. */
export function httpAddressOf({ http, httpAdvertise }: Config, port = http.port): string {
  return addressText(httpAdvertise ?? { host: http.host, port });
}

/** Identifies a coordinator across restarts: an address with a fixed port, or else the id of this run. */
export function placeOf(config: Config, self: string): string {
  const { grpc, grpcAdvertise = grpc, http, httpAdvertise = http } = config;
  const fixed = [grpcAdvertise, httpAdvertise].find(({ port }) => port !== 0);
  return fixed === undefined ? self : addressText(fixed);
}

export function schemeOf(config: Config): 'http' | 'https' {
  return config.httpTls === undefined ? 'http' : 'https';
}

/** The names that are accepted in a Host header. A wildcard address is not a name. */
export function hostsOf({ allowedHosts, http, httpAdvertise }: Config): ReadonlySet<string> {
  const listened = http.host === '0.0.0.0' || http.host === '::' ? [] : [http];
  const own = [...listened, ...(httpAdvertise === undefined ? [] : [httpAdvertise])];
  return new Set([...allowedHosts, ...own.map(({ host }) => hostName(host.toLowerCase()))]);
}

/** In the form of a Host header. */
function hostName(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
