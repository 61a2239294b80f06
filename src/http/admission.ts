/**
 * Who may speak to the service at all. Listening on loopback is no defence: a page of any site can make a
 * browser send requests to it, and by DNS rebinding even read the answers. So the Host must be a name of
 * ours, and what changes something must not come from a page of another origin.
 */
import { AppError } from '../domain/errors.ts';
import type { RequestHead } from './exchange.ts';

const AUTHORITY = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/;
const LOOPBACK = /^(localhost|.+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** limit: texts of Host headers that are remembered, and their length; those of one service are a few. */
const HOSTS_KNOWN_MAX = 1_000;
const HOST_CHARS_KNOWN_MAX = 300;

/**
 * The authority that a request was addressed to, lower-case. `hosts` are the names (without port) that
 * are ours besides those of loopback. What it makes throws AppError INVALID_REQUEST, HOST_NOT_ALLOWED or FORBIDDEN.
 */
export function admission(hosts: ReadonlySet<string>): (head: RequestHead) => string {
  /** Host headers that were ours, and their authorities. */
  const known = new Map<string, string>();
  return (head) => {
    const host = head.headers.get('host') ?? '';
    let authority = known.get(host);
    if (authority === undefined) {
      authority = ownAuthority(host, hosts);
      if (known.size >= HOSTS_KNOWN_MAX) known.clear();
      if (host.length <= HOST_CHARS_KNOWN_MAX) known.set(host, authority);
    }
    if (!SAFE_METHODS.has(head.method) && isForeign(head, authority)) {
      throw new AppError('FORBIDDEN', 'pages of other origins may not change anything here');
    }
    return authority;
  };
}

function ownAuthority(host: string, hosts: ReadonlySet<string>): string {
  const authority = host.toLowerCase();
  const name = AUTHORITY.exec(authority)?.[1];
  if (name === undefined) throw new AppError('INVALID_REQUEST', 'the Host header is missing or malformed');
  if (!LOOPBACK.test(name) && !hosts.has(name)) {
    throw new AppError(
      'HOST_NOT_ALLOWED',
      `this service is not called '${name}'; allow the name in its settings`,
    );
  }
  return authority;
}

function isForeign(head: RequestHead, authority: string): boolean {
  const origin = head.headers.get('origin');
  // Programs send neither header; browsers send at least one with whatever a page makes them write.
  if (origin === undefined || origin === '') return head.headers.get('sec-fetch-site') === 'cross-site';
  if (!URL.canParse(origin)) return true; // 'null', the origin of sandboxed frames and local files
  const { protocol, host } = new URL(origin);
  const own = `${protocol}//${authority}`;
  return !URL.canParse(own) || new URL(own).host !== host;
}
