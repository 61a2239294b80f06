/** X.509 certificates of the cluster's own authority, as they are read: whom one is for, and when it is due. */
import { X509Certificate } from 'node:crypto';

/** The alternative name of an agent's certificate: it holds the node's name. */
export const NODE_URI = 'millrace:node/';

/** The node that a certificate of an agent is for; undefined of any other. Says nothing about who signed it. */
export function nodeNameOf(certificate: Uint8Array | string): string | undefined {
  const { subjectAltName } = new X509Certificate(certificate);
  const prefix = `URI:${NODE_URI}`;
  const [found, ...others] = (subjectAltName ?? '').split(', ').filter((name) => name.startsWith(prefix));
  if (found === undefined || others.length > 0) return undefined;
  try {
    return decodeURIComponent(found.slice(prefix.length));
  } catch {
    return undefined; // not of ours
  }
}

/** From when on it is to be replaced: in the last third of its life. */
export function renewalDueMs(certificate: string): number {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const [from, until] = [Date.parse(validFrom), Date.parse(validTo)];
  return until - (until - from) / 3;
}

const LOOK_MS_MIN = 1_000;
const LOOK_MS_MAX = 3_600_000;
const TRIES = 10;

/**
 * When to look at it again: as it becomes due, then some times more in what is left, should there be nobody to give
 * another.
 */
export function nextLookMs(certificate: string, nowMs: number): number {
  const dueMs = renewalDueMs(certificate);
  const leftMs = Date.parse(new X509Certificate(certificate).validTo) - nowMs;
  const waitMs = nowMs < dueMs ? dueMs - nowMs : leftMs / TRIES;
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, waitMs));
}
