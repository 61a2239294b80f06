/** The causes that the service gives. */
import type { components } from '../../client/operations.ts';
import { commandOf } from '../frame/advice.ts';
import type { Context } from '../frame/context.ts';

export type Cause = components['schemas']['Cause'];

export function showCauses(context: Context, head: string, causes: readonly Cause[]): void {
  context.printWrapped(head);
  for (const cause of causes) showCause(context, cause);
}

function showCause(context: Context, { name, reason, since, subjects, help, action }: Cause): void {
  const node = subjects.find(({ kind }) => kind === 'recipe_node')?.name ?? undefined;
  const where = node === undefined ? '' : `${node}: `;
  context.printWrapped(`  ${where}${name}${since === null ? '' : ` (since ${since})`}`);
  // The end of a log has several lines.
  for (const line of reason.split('\n')) context.printWrapped(`    ${line}`);
  if (help === null) return;
  context.printWrapped(
    action === null ? `    ${help}` : `    ${help.replace(/\.$/, '')}: ${commandOf(action, subjects)}`,
  );
}
