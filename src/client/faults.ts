/** What is wrong with the address or the certificate of a service. Waiting mends none of it. */

export type Fault =
  /** The authority of the certificate is not known here. */
  | 'untrusted-certificate'
  /** The certificate is for another name. */
  | 'certificate-of-another-name'
  | 'expired-certificate'
  | 'certificate-not-valid-yet'
  /** An https:// address, where nothing speaks TLS. */
  | 'speaks-no-tls'
  /** An http:// address, where TLS is spoken. */
  | 'speaks-tls'
  /** What answers speaks no HTTP. */
  | 'speaks-no-http'
  | 'unknown-host'
  /** No client calls this port, because another protocol has it. */
  | 'reserved-port';

/** By the codes of Node's errors. */
const FAULTS: Readonly<Record<string, Fault>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted-certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted-certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted-certificate',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted-certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted-certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-of-another-name',
  CERT_HAS_EXPIRED: 'expired-certificate',
  CERT_NOT_YET_VALID: 'certificate-not-valid-yet',
  ERR_SSL_WRONG_VERSION_NUMBER: 'speaks-no-tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'speaks-no-tls',
  ENOTFOUND: 'unknown-host',
};
const NO_HTTP = /^HPE_INVALID_/;

/** What people understand, where the runtime's own words say something else. */
const WORDS: Partial<Readonly<Record<Fault, string>>> = {
  'speaks-no-tls': 'no TLS is spoken there',
  'speaks-tls': 'TLS is spoken there',
  'speaks-no-http': 'no HTTP is spoken there',
  'unknown-host': 'the name of its host has no address (ENOTFOUND)',
  'reserved-port': 'its port belongs to another protocol, and HTTP clients do not call it',
};

/** A connection that was closed without an answer. */
const CLOSED: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET']);

/** Whether TLS is spoken at an http:// address. */
export type SpeaksTls = (origin: string) => Promise<boolean>;

/** The fault for which `fetch` has failed; undefined if the failure may pass. */
export async function faultOf(
  error: unknown,
  origin: string,
  speaksTls: SpeaksTls | undefined,
): Promise<Fault | undefined> {
  const { code, message } = (error as { cause?: { code?: unknown; message?: unknown } }).cause ?? {};
  if (message === 'bad port') return 'reserved-port';
  const known = FAULTS[String(code)];
  if (known !== undefined) return known;
  if (NO_HTTP.test(String(code))) return 'speaks-no-http';
  // A service with TLS closes such a connection, and so does one that ends.
  const mayBeTls = CLOSED.has(String(code)) && origin.startsWith('http:');
  return mayBeTls && (await speaksTls?.(origin)) === true ? 'speaks-tls' : undefined;
}

/** Why the connection failed. `fetch` has it as the cause of its error. */
export function reasonOf(error: unknown, fault: Fault | undefined): string {
  const words = fault === undefined ? undefined : WORDS[fault];
  if (words !== undefined) return words;
  const { cause, message } = error as { cause?: unknown; message?: unknown };
  const { code, message: inner } = (cause ?? {}) as { code?: unknown; message?: unknown };
  return String(inner || code || message || 'no connection');
}
