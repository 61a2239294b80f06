/** Splits addresses of NATS servers as the `nats` client takes them: credentials apart from hosts. */
import { assert } from './assert.ts';

export interface NatsServers {
  readonly servers: string[];
  readonly tls?: object;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/**
 * `url`: `nats://[user:password@]host:port` or `tls://…`, several separated by commas. Credentials of the first one
 * apply.
 */
export function natsServers(url: string): NatsServers {
  const urls = url.split(',').map((part) => new URL(part.trim()));
  const first = urls[0];
  assert(first !== undefined, 'no NATS address');
  const servers = urls.map(({ host }) => host);
  const tls = first.protocol === 'tls:' ? { tls: {} } : {};
  const user = decodeURIComponent(first.username);
  const pass = decodeURIComponent(first.password);
  if (user === '') return { servers, ...tls };
  return pass === '' ? { servers, ...tls, token: user } : { servers, ...tls, user, pass };
}
