/** Reads X.509 certificates of the cluster's own authority: their subject, and when they are due for renewal. */
import { X509Certificate } from 'node:crypto';

/** The alternative name of an agent's certificate, which contains the node's name. */
export const NODE_URI = 'millrace:node/';

/** The node of an agent's certificate; undefined for any other. Does not check who signed it. */
export function nodeNameOf(certificate: Uint8Array | string): string | undefined {
  const { subjectAltName } = new X509Certificate(certificate);
  const prefix = `URI:${NODE_URI}`;
  const [found, ...others] = (subjectAltName ?? '').split(', ').filter((name) => name.startsWith(prefix));
  if (found === undefined || others.length > 0) return undefined;
  try {
    return decodeURIComponent(found.slice(prefix.length));
  } catch {
    return undefined; // not one of ours
  }
}

/** When it has to be renewed: in the last third of its validity. */
export function renewalDueMs(certificate: string): number {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const [from, until] = [Date.parse(validFrom), Date.parse(validTo)];
  return until - (until - from) / 3;
}

const LOOK_MS_MIN = 1_000;
const LOOK_MS_MAX = 3_600_000;
const TRIES = 10;

/**
 * When to check it again: when it becomes due, then several times in the remaining time, in case nobody can issue
 * another one.
 */
export function nextLookMs(certificate: string, nowMs: number): number {
  const dueMs = renewalDueMs(certificate);
  const leftMs = Date.parse(new X509Certificate(certificate).validTo) - nowMs;
  const waitMs = nowMs < dueMs ? dueMs - nowMs : leftMs / TRIES;
  return Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, waitMs));
}
