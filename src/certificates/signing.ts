/**
 * Creates X.509 certificates of the cluster's own authority, for keys on P-256: their contents and signature. The
 * caller decides who gets one. A coordinator's certificate is valid for servers and an agent's for clients, so that an
 * agent cannot pose as a coordinator; TLS libraries check that. Only programs that sign load this: its packages take 5
 * MiB.
 */
import { createHash, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  type KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import { NODE_URI } from './certificate.ts';

export type Role = 'authority' | 'coordinator' | 'agent';

export interface CertificateContent {
  readonly role: Role;
  /** The name of the subject: for an agent, the node's name. */
  readonly name: string;
  readonly publicKey: KeyObject;
  /** At most 20 random bytes, the first of them neither 0 nor above 127. */
  readonly serial: Uint8Array;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The name and key for signing certificates. */
export interface Signer {
  readonly subject: Name;
  /** How the signer's own certificate identifies its key. */
  readonly keyId: KeyIdentifier;
  readonly key: KeyObject;
}

const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
/** RFC 5280: characters of a common name. A longer node name is complete in the alternative name. */
const COMMON_NAME_CHARS_MAX = 64;

/** The first certificate of a PEM, as a signer with its key. */
export function signerOf(certificate: string, key: KeyObject): Signer {
  const { raw, publicKey } = new X509Certificate(certificate);
  const { subject, extensions } = AsnConvert.parse(raw, Certificate).tbsCertificate;
  const named = extensions?.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier);
  const keyId =
    named === undefined ? keyIdOf(publicKey) : AsnConvert.parse(named.extnValue, SubjectKeyIdentifier);
  return { subject, keyId, key };
}

/** PEM, signed with its own key. */
export function selfSignedCertificate(content: CertificateContent, key: KeyObject): string {
  return signCertificate(content, { subject: nameOf(content.name), keyId: keyIdOf(content.publicKey), key });
}

/** PEM. */
export function signCertificate(content: CertificateContent, signer: Signer): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const body = new TBSCertificate({
    version: Version.v3,
    serialNumber: ownBuffer(content.serial),
    signature: algorithm,
    issuer: signer.subject,
    validity: new Validity({
      notBefore: new Date(wholeSecond(content.fromMs)),
      notAfter: new Date(wholeSecond(content.untilMs)),
    }),
    subject: nameOf(content.name),
    subjectPublicKeyInfo: AsnConvert.parse(spkiOf(content.publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions(extensionsOf(content, signer)),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(body)), signer.key);
  const whole = new Certificate({
    tbsCertificate: body,
    signatureAlgorithm: algorithm,
    signatureValue: ownBuffer(signature),
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(whole))).toString();
}

/** RFC 5280: times have no fractions. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

function nameOf(name: string): Name {
  const value = new AttributeValue({ utf8String: [...name].slice(0, COMMON_NAME_CHARS_MAX).join('') });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function extensionsOf({ role, name, publicKey }: CertificateContent, signer: Signer): Extension[] {
  const isAuthority = role === 'authority';
  const usage = isAuthority
    ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign
    : KeyUsageFlags.digitalSignature;
  const common = [
    extension(
      id_ce_basicConstraints,
      new BasicConstraints(isAuthority ? { cA: true, pathLenConstraint: 0 } : {}),
      true,
    ),
    extension(id_ce_keyUsage, new KeyUsage(usage), true),
    extension(id_ce_subjectKeyIdentifier, keyIdOf(publicKey)),
    extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier: signer.keyId })),
  ];
  if (isAuthority) return common;
  const purpose = role === 'coordinator' ? id_kp_serverAuth : id_kp_clientAuth;
  common.push(extension(id_ce_extKeyUsage, new ExtendedKeyUsage([purpose])));
  if (role === 'agent') {
    const uri = new GeneralName({ uniformResourceIdentifier: `${NODE_URI}${encodeURIComponent(name)}` });
    common.push(extension(id_ce_subjectAltName, new SubjectAlternativeName([uri])));
  }
  return common;
}

function extension(extnID: string, value: object, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function keyIdOf(key: KeyObject): SubjectKeyIdentifier {
  return new SubjectKeyIdentifier(createHash('sha256').update(spkiOf(key)).digest().subarray(0, 20));
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

/** A copy of the bytes in a buffer of its own, which the library requires. */
function ownBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
