/**
 * Credentials inside stored configurations. They are encrypted in the row, and decrypted here only to keep the ones
 * that a caller has sent back masked. An encrypted pair is `{"sealed": "<base64>"}` in place of the two keys.
 */
import type { Problem } from '../../domain/validation.ts';
import { CREDENTIAL_MASK, type Credentials } from '../../domain/workspace/credentials.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';

/** Purpose under which the credentials of workspaces are encrypted. */
export const WORKSPACE_CREDENTIALS = 'workspace credentials';

/** An object that may have credentials: the broker of a workspace, the monitor of a strike. */
type Holder = object & { readonly credentials?: unknown };

/** The holder as it is stored, its credentials encrypted. Decrypting needs the same `purpose`. */
export function withEncryptedCredentials<H extends Holder>(
  holder: H,
  encryption: Encryption,
  purpose: string,
): H {
  if (holder.credentials === undefined) return holder;
  const encrypted = encryption.encrypt(JSON.stringify(holder.credentials), purpose).toString('base64');
  return { ...holder, credentials: { sealed: encrypted } };
}

/** The holder with its credentials decrypted. Throws SECRET_UNREADABLE. */
export function withOpenedCredentials<H extends Holder>(
  holder: H,
  encryption: Encryption,
  purpose: string,
): H {
  const { sealed: encrypted } = (holder.credentials ?? {}) as { readonly sealed?: string };
  if (encrypted === undefined) return holder;
  const clear = encryption.decrypt(Buffer.from(encrypted, 'base64'), purpose);
  return { ...holder, credentials: JSON.parse(clear) as Credentials };
}

/**
 * Problems of masked values for which no secret is stored. They are refused, because the mask would be stored as the
 * secret.
 */
export function leftoverMasks(holder: Holder, path: string, name: string): readonly Problem[] {
  const credentials = (holder.credentials ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(credentials)
    .filter(([, value]) => value === CREDENTIAL_MASK)
    .map(([key]) => ({
      name,
      description: 'is masked, and nothing is stored that the mask could stand for',
      path: `${path}.credentials.${key}`,
    }));
}
