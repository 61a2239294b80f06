/** References of container images, as people write them. Nothing is looked up here. */
import { isIP } from 'node:net';

export interface ImageReference {
  /** `host[:port]`; `docker.io` where none is named. */
  readonly registry: string;
  readonly repository: string;
  /** `latest` where neither tag nor digest is named. */
  readonly tag: string | undefined;
  /** `sha256:…`; it counts before the tag. */
  readonly digest: string | undefined;
}

const DEFAULT_REGISTRY = 'docker.io';
const REFERENCE_CHARS_MAX = 512;
const HOST = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+|\/)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Undefined when it is no reference. */
export function parseReference(text: string): ImageReference | undefined {
  if (text.length > REFERENCE_CHARS_MAX) return undefined;
  const [name = '', digest, ...more] = text.split('@');
  const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
  const tag = colon < 0 ? undefined : name.slice(colon + 1);
  const path = colon < 0 ? name : name.slice(0, colon);
  const slash = path.indexOf('/');
  const first = path.slice(0, Math.max(0, slash));
  const hasRegistry = /[.:]/.test(first) || first === 'localhost';
  const registry = hasRegistry ? first : DEFAULT_REGISTRY;
  const repository = hasRegistry ? path.slice(slash + 1) : path;
  const isWhole = more.length === 0 && HOST.test(registry) && REPOSITORY.test(repository);
  if (!isWhole || (tag !== undefined && !TAG.test(tag))) return undefined;
  if (digest !== undefined && !DIGEST.test(digest)) return undefined;
  return { registry, repository, tag: tag ?? (digest === undefined ? 'latest' : undefined), digest };
}

/** As a client of registries takes it, with digest or tag, not with both. */
export function fullReference({ registry, repository, tag, digest }: ImageReference): string {
  // Docker's own registry keeps images without an owner under `library`.
  const owned =
    registry === DEFAULT_REGISTRY && !repository.includes('/') ? `library/${repository}` : repository;
  return `${registry}/${owned}${digest === undefined ? `:${tag}` : `@${digest}`}`;
}

/** A registry of this machine: nobody listens in between, so it may do without TLS, as it does for Docker. */
export function isOnThisMachine({ registry }: Pick<ImageReference, 'registry'>): boolean {
  const host = registry.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
