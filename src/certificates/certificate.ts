/**
 * X.509 certificates of the cluster's own authority, for keys on P-256: what is in them, and their signature. Who gets
 * one is not decided here. A coordinator's is good for serving and an agent's for calling, so that an agent cannot pass
 * for a coordinator; TLS libraries check that by themselves.
 */
import { createHash, createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import {
  bitString,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  time,
  truth,
  utf8String,
} from './der.ts';

export type Role = 'authority' | 'coordinator' | 'agent';

export interface CertificateContent {
  readonly role: Role;
  /** The name of the subject: for an agent, the node's name. */
  readonly name: string;
  readonly publicKey: KeyObject;
  /** At most 20 random bytes. */
  readonly serial: Uint8Array;
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Signer {
  /** The name of the authority's subject. */
  readonly name: string;
  readonly key: KeyObject;
}

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** RFC 5280: a common name's characters. A longer node name is whole in the alternative name. */
const COMMON_NAME_CHARS_MAX = 64;
const NODE_URI = 'millrace:node/';
const URI_TAG = 6;
// Bits of the key usage, with how many of the byte's last ones do not count.
const SIGNS_CERTIFICATES = { byte: 0x06, unused: 1 }; // keyCertSign, cRLSign
const SIGNS = { byte: 0x80, unused: 7 }; // digitalSignature

/** PEM. */
export function signCertificate(content: CertificateContent, signer: Signer): string {
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(content.serial),
    algorithm,
    nameOf(signer.name),
    sequence(time(content.fromMs), time(content.untilMs)),
    nameOf(content.name),
    spkiOf(content.publicKey),
    explicit(3, sequence(...extensionsOf(content, signer))),
  );
  const signature = sign('sha256', body, { key: signer.key, dsaEncoding: 'der' });
  return pemOf(sequence(body, algorithm, bitString(signature)));
}

function nameOf(name: string): Buffer {
  const value = utf8String([...name].slice(0, COMMON_NAME_CHARS_MAX).join(''));
  return sequence(setOf(sequence(oid(OID.commonName), value)));
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function extensionsOf({ role, name, publicKey }: CertificateContent, signer: Signer): Buffer[] {
  const isAuthority = role === 'authority';
  const usage = isAuthority ? SIGNS_CERTIFICATES : SIGNS;
  const common = [
    extension(
      OID.basicConstraints,
      sequence(...(isAuthority ? [truth(), integer(Buffer.from([0]))] : [])),
      true,
    ),
    extension(OID.keyUsage, bitString(Buffer.from([usage.byte]), usage.unused), true),
    extension(OID.subjectKeyId, octetString(keyId(publicKey))),
    extension(OID.authorityKeyId, sequence(implicit(0, keyId(createPublicKey(signer.key))))),
  ];
  if (isAuthority) return common;
  const purpose = role === 'coordinator' ? OID.serverAuth : OID.clientAuth;
  common.push(extension(OID.extKeyUsage, sequence(oid(purpose))));
  if (role === 'agent') {
    const uri = Buffer.from(`${NODE_URI}${encodeURIComponent(name)}`);
    common.push(extension(OID.subjectAltName, sequence(implicit(URI_TAG, uri))));
  }
  return common;
}

function extension(id: string, value: Uint8Array, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [truth()] : []), octetString(value));
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha256').update(spkiOf(key)).digest().subarray(0, 20);
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

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
