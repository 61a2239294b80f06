/** `--dry-run` for calls that do not have it: the change is checked and described instead of made. */
import type { Client } from '../../client/client.ts';
import type { Connection } from './connection.ts';
import type { Context } from './context.ts';
import { NotPermittedError } from './exit-codes.ts';

/** The option of commands that call `change` or `describeChange`. */
export const DRY_RUN = ['--dry-run', 'check it, say what it would do, and change nothing'] as const;

/**
 * Makes a change or, with `--dry-run`, describes it. `does` is the rest of a sentence that begins with "this", such as
 * `pauses strike texts`. The caller has checked that the records exist.
 */
export async function change(
  context: Context,
  client: Client,
  does: string,
  make: () => Promise<void>,
): Promise<void> {
  if (!context.options.dryRun) return make();
  await requireWrite(client, await context.connection(), context.signal);
  describeChange(context, does);
}

/** The description of a pause or resume that has no effect. */
export function unchanged(isPaused: boolean): string {
  return isPaused ? 'changes nothing: it is paused already' : 'changes nothing: it is not paused';
}

/** Describes a change without asking a service for permission. */
export function describeChange(context: Context, does: string): void {
  if (context.isStructured) context.document({ dry_run: does });
  else context.printWrapped(does);
}

/**
 * Throws a NotPermittedError if the caller may make no changes. A service that has answered without a token lets
 * everybody make them.
 */
export async function requireWrite(
  client: Client,
  { token }: Pick<Connection, 'token'>,
  signal: AbortSignal,
): Promise<void> {
  if (token === undefined) return;
  const { username, is_staff, scope } = await client.get('/v6/accounts/profile/', { signal });
  if (!is_staff) throw new NotPermittedError(`${username} may not do this: it is not a staff account`);
  if (scope === 'read') throw new NotPermittedError(`the token of ${username} may only read`);
}
