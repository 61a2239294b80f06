/**
 * The cluster's certificate authority: created once, kept in a folder (`ca.pem`, `ca.key`), signs the certificates of
 * coordinators and agents. The key never leaves the folder.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { CertificateContent, Role, Signer } from './signing.ts';

const DAY_MS = 86_400_000;
const CERTIFICATE_DAYS = 90;
const DAYS: Readonly<Record<Role, number>> = {
  authority: 3_650,
  coordinator: CERTIFICATE_DAYS,
  agent: CERTIFICATE_DAYS,
};
export const DAYS_MAX = 36_500;
/**
 * Certificates are backdated by this, because clocks of hosts differ a little, so that a new one is valid everywhere at
 * once. It is small even compared to a short validity.
 */
const BACKDATED_MS = 5 * 60_000;
const BACKDATED_PART = 20;
const SERIAL_BYTES = 16;
const AUTHORITY_NAME = 'Millrace authority';

/** A certificate and its key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

export interface IssueOptions {
  readonly role: Exclude<Role, 'authority'>;
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly nowMs: number;
  /** May be a fraction. */
  readonly days?: number;
}

type Signing = typeof import('./signing.ts');

/** Loaded only by programs that sign; agents and most coordinators do not. */
const loadSigning = (): Promise<Signing> => import('./signing.ts');

export class Authority {
  /** PEM; more than one while an old authority is being replaced. The first one signs. */
  readonly certificate: string;
  readonly #signing: Signing;
  readonly #signer: Signer;

  private constructor(certificate: string, key: KeyObject, signing: Signing) {
    this.certificate = certificate;
    this.#signing = signing;
    this.#signer = signing.signerOf(certificate, key);
  }

  /** Throws AppError INVALID_SETTINGS if the key does not match. */
  static async from(certificate: string, key: KeyObject): Promise<Authority> {
    if (!new X509Certificate(certificate).checkPrivateKey(key)) {
      throw new AppError('INVALID_SETTINGS', 'ca.key does not belong to the first certificate of ca.pem');
    }
    return new Authority(certificate, key, await loadSigning());
  }

  /** PEM. Never valid for longer than the authority itself. */
  issue({ role, name, publicKey, nowMs, days = DAYS[role] }: IssueOptions): string {
    const endMs = Date.parse(new X509Certificate(this.certificate).validTo);
    const lifeMs = days * DAY_MS;
    const content = {
      ...{ role, name, publicKey },
      serial: newSerial(),
      fromMs: nowMs - Math.min(BACKDATED_MS, lifeMs / BACKDATED_PART),
      untilMs: Math.min(nowMs + lifeMs, endMs),
    };
    return this.#signing.signCertificate(content, this.#signer);
  }
}

/** The highest bit is not set, so the number is positive and has a fixed length. */
function newSerial(): Uint8Array {
  const serial = randomBytes(SERIAL_BYTES);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}

export function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

export function keyPem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** An identity with a new key. */
export function issueIdentity(authority: Authority, options: Omit<IssueOptions, 'publicKey'>): Identity {
  const key = newKey();
  return { certificate: authority.issue({ ...options, publicKey: createPublicKey(key) }), key: keyPem(key) };
}

/** Creates the authority of a folder. Throws AppError DATA_DIR_IN_USE if the folder has one. */
export async function createAuthority(
  folder: string,
  nowMs: number,
  days = DAYS.authority,
): Promise<Authority> {
  const key = newKey();
  const content: CertificateContent = {
    role: 'authority',
    name: AUTHORITY_NAME,
    publicKey: createPublicKey(key),
    serial: newSerial(),
    fromMs: nowMs - BACKDATED_MS,
    untilMs: nowMs + days * DAY_MS,
  };
  const certificate = (await loadSigning()).selfSignedCertificate(content, key);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The key is written first: a certificate without a key would look like one that was copied here on purpose.
  const keyFile = join(folder, 'ca.key');
  await writeNew(keyFile, keyPem(key), 0o600);
  try {
    await writeNew(join(folder, 'ca.pem'), certificate, 0o644);
  } catch (error) {
    await rm(keyFile, { force: true }); // the key is not in use yet, and would block the next attempt
    throw error;
  }
  return Authority.from(certificate, key);
}

/** Writes a new file, completely or not at all. Throws AppError DATA_DIR_IN_USE if it exists. */
export async function writeNew(path: string, text: string, mode: number): Promise<void> {
  try {
    await writeFile(path, text, { mode, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      await rm(path, { force: true });
      throw error;
    }
    throw new AppError('DATA_DIR_IN_USE', `${path} is there already, and is not written over`);
  }
}

/** The authority of a folder with `ca.pem` and `ca.key`; undefined if the key is not here. */
export async function openAuthority(folder: string): Promise<Authority | undefined> {
  const [certificate, key] = [await readPem(folder, 'ca.pem'), await readPem(folder, 'ca.key')];
  if (certificate === undefined || key === undefined) return undefined;
  return Authority.from(certificate, createPrivateKey(key));
}

/** Undefined if there is no such file. */
export async function readPem(folder: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `<name>.pem` and `<name>.key` of a folder; undefined unless both exist. */
export async function readIdentity(folder: string, name: string): Promise<Identity | undefined> {
  const certificate = await readPem(folder, `${name}.pem`);
  const key = await readPem(folder, `${name}.key`);
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}
