/**
 * Checks the `Host` and `Origin` headers of requests. Listening on loopback only is not enough: a page of any site can
 * make a browser send requests to it and, by DNS rebinding, even read the answers. So the Host must be one of ours, and
 * a request that changes something, or opens a WebSocket, must not come from a page of another origin.
 */
import { LRUCache } from 'lru-cache';
import { AppError } from '../domain/errors.ts';
import type { RequestHead } from './exchange.ts';

const AUTHORITY = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/;
const LOOPBACK = /^(localhost|.+\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** limit: Host headers that are cached, and their length. A service is addressed by a few. */
const HOSTS_KNOWN_MAX = 1_000;
const HOST_CHARS_KNOWN_MAX = 300;

export interface Ours {
  /** Lower-case host names, without port, besides loopback's. */
  readonly hosts: ReadonlySet<string>;
  /** Origins whose pages may change things, besides the request's own origin; as `new URL(…).origin` writes them. */
  readonly origins: ReadonlySet<string>;
}

export interface Admitted {
  /** The authority that the request was addressed to, lower-case. */
  readonly authority: string;
  /**
   * What browsers call the service when a proxy drops the port from Host: the allowed origin with that host name. If
   * several have it: the page's own, otherwise the first.
   */
  readonly publicOrigin: string | undefined;
}

interface KnownHost extends Admitted {
  readonly publicOrigins: readonly string[];
}

/** The function that it returns throws AppError INVALID_REQUEST, HOST_NOT_ALLOWED or FORBIDDEN. */
export function admission({ hosts, origins }: Ours): (head: RequestHead, isUpgrade?: boolean) => Admitted {
  /** Host headers that were accepted. */
  const known = new LRUCache<string, KnownHost>({ max: HOSTS_KNOWN_MAX });
  return (head, isUpgrade = false) => {
    const host = head.headers.get('host') ?? '';
    let found = known.get(host);
    if (found === undefined) {
      const authority = ownAuthority(host, hosts);
      // A Host with a port is complete: no origin's host name equals it.
      const publicOrigins = [...origins].filter((origin) => new URL(origin).hostname === authority);
      found = { authority, publicOrigin: publicOrigins[0], publicOrigins };
      if (host.length <= HOST_CHARS_KNOWN_MAX) known.set(host, found);
    }
    const { authority, publicOrigins } = found;
    // Browsers let pages of any origin read a WebSocket.
    if (isUpgrade || !SAFE_METHODS.has(head.method)) refuseForeign(head, authority, origins);
    if (publicOrigins.length < 2) return found;
    const own = originOf(head.headers.get('origin'));
    return { authority, publicOrigin: publicOrigins.find((origin) => origin === own) ?? found.publicOrigin };
  };
}

function ownAuthority(host: string, hosts: ReadonlySet<string>): string {
  const authority = host.toLowerCase();
  const name = AUTHORITY.exec(authority)?.[1];
  if (name === undefined) throw new AppError('INVALID_REQUEST', 'the Host header is missing or malformed');
  if (!LOOPBACK.test(name) && !hosts.has(name)) {
    throw new AppError(
      'HOST_NOT_ALLOWED',
      `this service is not called '${name}': add the name to MILLRACE_ALLOWED_HOSTS if it is one of its names`,
    );
  }
  return authority;
}

function refuseForeign(head: RequestHead, authority: string, origins: ReadonlySet<string>): void {
  const origin = head.headers.get('origin');
  // Programs send neither header. Browsers send at least one of them with every request that a page can cause to write.
  const isForeign =
    origin === undefined || origin === ''
      ? head.headers.get('sec-fetch-site') === 'cross-site'
      : !isSameHost(origin, authority) && !origins.has(originOf(origin) ?? '');
  if (!isForeign) return;
  throw new AppError(
    'FORBIDDEN',
    'pages of other origins may neither change anything here nor open WebSockets; the request was sent to ' +
      `'${authority}'. A proxy must pass on the header Host unchanged, with its port; otherwise ` +
      "MILLRACE_ALLOWED_ORIGINS must contain the page's origin",
  );
}

function isSameHost(origin: string, authority: string): boolean {
  if (!URL.canParse(origin)) return false; // 'null', the origin of sandboxed frames and local files
  const { protocol, host } = new URL(origin);
  const own = `${protocol}//${authority}`;
  return URL.canParse(own) && new URL(own).host === host;
}

function originOf(text: string | undefined): string | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text).origin : undefined;
}
