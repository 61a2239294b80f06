/**
 * Credentials inside stored configurations: sealed in the row, opened only to keep what a caller sent back masked.
 * A sealed pair is `{"sealed": "<base64>"}` in the place of the two keys.
 */
import type { Problem } from '../../domain/validation.ts';
import { CREDENTIAL_MASK, type Credentials } from '../../domain/workspace/credentials.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';

/** Purpose under which the credentials of workspaces are sealed. */
export const WORKSPACE_CREDENTIALS = 'workspace credentials';

/** What may hold credentials: the broker of a workspace, the monitor of a strike. */
type Holder = object & { readonly credentials?: unknown };

/** The holder as rows keep it. `purpose` must be the same when it is opened. */
export function withSealedCredentials<H extends Holder>(
  holder: H,
  encryption: Encryption,
  purpose: string,
): Holder {
  if (holder.credentials === undefined) return holder;
  const sealed = encryption.encrypt(JSON.stringify(holder.credentials), purpose).toString('base64');
  return { ...holder, credentials: { sealed } };
}

/** The holder as it was given. Throws SECRET_UNREADABLE. */
export function withOpenedCredentials<H extends Holder>(
  holder: H,
  encryption: Encryption,
  purpose: string,
): H {
  const { sealed } = (holder.credentials ?? {}) as { readonly sealed?: string };
  if (sealed === undefined) return holder;
  const clear = encryption.decrypt(Buffer.from(sealed, 'base64'), purpose);
  return { ...holder, credentials: JSON.parse(clear) as Credentials };
}

/** Masks that nothing stored could replace: the caller would lock itself out. */
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
