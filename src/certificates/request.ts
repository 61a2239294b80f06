/**
 * Establishes trust between an agent without a certificate and a coordinator, which both know the join token. The
 * coordinator proves that the authority which it names is the cluster's, without revealing the token. The agent then
 * sends the token over a connection that this authority has certified, with a public key and the proof that it has its
 * private key.
 */
import { createHmac, createPublicKey, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto';

export const NONCE_BYTES_MIN = 16;
export const NONCE_BYTES_MAX = 64;
/** limit: a key on P-256 has 91 bytes, or 59 in its short form, a signature at most 72. */
const KEY_BYTES_MAX = 128;

/** The proof for one nonce; valid only for this authority's certificate. */
export function proveAuthority(joinToken: string, nonce: Uint8Array, certificate: string): Uint8Array {
  return createHmac('sha256', joinToken)
    .update('millrace authority 1\0')
    .update(nonce)
    .update(certificate)
    .digest();
}

export function isAuthorityProven(
  joinToken: string,
  nonce: Uint8Array,
  { certificate, proof }: { readonly certificate: string; readonly proof: Uint8Array },
): boolean {
  const wanted = proveAuthority(joinToken, nonce, certificate);
  return proof.length === wanted.length && timingSafeEqual(proof, wanted);
}

export interface KeyRequest {
  readonly nodeName: string;
  /** DER of the subject's public key information. */
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
}

export function makeKeyRequest(nodeName: string, key: KeyObject): KeyRequest {
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { nodeName, publicKey, signature: sign('sha256', signedText(nodeName, publicKey), key) };
}

/** The key to certify, if the request is signed with it and it is on P-256. */
export function checkKeyRequest({ nodeName, publicKey, signature }: KeyRequest): KeyObject | undefined {
  if (publicKey.length > KEY_BYTES_MAX || signature.length > KEY_BYTES_MAX) return undefined;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
      return undefined;
    return verify('sha256', signedText(nodeName, publicKey), key, signature) ? key : undefined;
  } catch {
    return undefined; // not a key
  }
}

function signedText(nodeName: string, publicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`millrace key 1\0${nodeName}\0`), publicKey]);
}
