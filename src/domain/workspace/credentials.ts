/**
 * The key pair of an object store or queue inside a configuration: how it is read, masked in answers, and restored when
 * a masked document is sent back. The store encrypts it.
 */
import type { Fields } from '../document/fields.ts';

export interface Credentials {
  readonly access_key_id: string;
  readonly secret_access_key: string;
}

/** Replaces a secret in every answer. */
export const CREDENTIAL_MASK = '************';

/**
 * Reads `credentials`. Absent, `{}`, or a blank key mean role-based access (undefined). One key without the other is a
 * problem.
 */
export function readCredentials(parent: Fields, problem: string): Credentials | undefined {
  const fields = parent.object('credentials', { problem });
  if (fields === undefined) return undefined;
  const needs = { min: 0, max: 1_000, problem };
  const hasAny = fields.has('access_key_id') || fields.has('secret_access_key');
  const accessKeyId = fields.text('access_key_id', { ...needs, required: hasAny, missing: problem });
  const secretAccessKey = fields.text('secret_access_key', { ...needs, required: hasAny, missing: problem });
  fields.refuseOthers(problem);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  if (accessKeyId.trim() === '' || secretAccessKey.trim() === '') return undefined;
  return { access_key_id: accessKeyId, secret_access_key: secretAccessKey };
}

/** A broker or monitor with its credentials masked; the same object when it has none. */
export function withMaskedCredentials<T extends object>(holder: T): T {
  if (!('credentials' in holder) || holder.credentials === undefined) return holder;
  const masked: Credentials = { access_key_id: CREDENTIAL_MASK, secret_access_key: CREDENTIAL_MASK };
  return { ...holder, credentials: masked };
}

/** The broker or monitor as sent, with masks replaced by the stored values. */
export function withStoredCredentials<T extends { readonly credentials?: Credentials }>(
  sent: T,
  stored: { readonly credentials?: Credentials } | undefined,
): T {
  const [given, kept] = [sent.credentials, stored?.credentials];
  if (given === undefined || kept === undefined) return sent;
  const pick = (key: keyof Credentials): string => (given[key] === CREDENTIAL_MASK ? kept[key] : given[key]);
  return {
    ...sent,
    credentials: { access_key_id: pick('access_key_id'), secret_access_key: pick('secret_access_key') },
  };
}
