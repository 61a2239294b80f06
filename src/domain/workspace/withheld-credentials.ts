/** Workspaces as an agent writes them to its disk: without credentials, which it keeps in memory only. */
import type { WorkspaceRef } from '../node/coordinator-messages.ts';

/** The workspace without what must not be written to disk; the same object if there is nothing to hide. */
export function withoutCredentials(workspace: WorkspaceRef): WorkspaceRef {
  if (!workspace.configuration.includes('credentials')) return workspace;
  const hide = (key: string, value: unknown): unknown => (key === 'credentials' ? WITHHELD : value);
  const configuration = JSON.stringify(JSON.parse(workspace.configuration, hide));
  return configuration === workspace.configuration ? workspace : { ...workspace, configuration };
}

const WITHHELD = { withheld: true } as const;
const WITHHELD_TEXT = `"credentials":${JSON.stringify(WITHHELD)}`;

export function isWithheld({ configuration }: WorkspaceRef): boolean {
  return configuration.includes(WITHHELD_TEXT);
}
