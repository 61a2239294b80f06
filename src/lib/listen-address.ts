/** Hosts and ports as settings and URLs write them. */
import { isIP } from 'node:net';

export interface Address {
  readonly host: string;
  /** 0 picks a free one, for listeners. */
  readonly port: number;
}

/** Parses `127.0.0.1:80` and `[::1]:80`; undefined for anything else. */
export function parseAddress(text: string): Address | undefined {
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65_535 || (match?.[1] !== undefined && isIP(host) !== 6)) return undefined;
  return { host, port };
}

/** `host:port` as `parseAddress` takes it, and as URLs and gRPC write it. */
export function addressText({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a listening host, a name or an address, can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase();
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

/** The address at which a program of this machine calls a listener: a wildcard listens on loopback as well. */
export function calledAddress({ host, port }: Address): Address {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: isIP(host) === 6 && /^[0:]+$/.test(host) ? '::1' : host, port };
}
