/**
 * Workspaces in messages to agents: their credentials are decrypted when a message leaves for an agent, and not before.
 * They are encrypted in rows, in actors and in messages between coordinators.
 */
import type { CoordinatorMessage, WorkspaceRef } from '../../domain/node/coordinator-messages.ts';
import type { BrokerConfiguration } from '../../domain/workspace/workspace-config.ts';
import type { Encryption } from '../../store/secret-key/encryption.ts';
import { WORKSPACE_CREDENTIALS, withOpenedCredentials } from './encrypted-credentials.ts';

export interface Opening {
  readonly encryption: Encryption;
  /** The endpoint of workspaces that name none. */
  readonly s3Endpoint?: string | undefined;
}

/** Replaces credentials that this coordinator cannot decrypt. */
const UNREADABLE = { unreadable: true } as const;

export function withOpenedWorkspaces(
  messages: readonly CoordinatorMessage[],
  opening: Opening,
): readonly CoordinatorMessage[] {
  return messages.map((message) => {
    if ('workspaces' in message) {
      return { ...message, workspaces: message.workspaces.map((one) => openedRef(one, opening)) };
    }
    if ('workspace' in message) return { ...message, workspace: openedRef(message.workspace, opening) };
    return message;
  });
}

/** The workspace with its broker ready for use. For directories the same object. */
function openedRef(workspace: WorkspaceRef, opening: Opening): WorkspaceRef {
  if (!workspace.configuration.includes('objstore')) return workspace;
  const document = JSON.parse(workspace.configuration) as { readonly broker: BrokerConfiguration };
  const broker = openedBroker(document.broker, opening);
  return { ...workspace, configuration: JSON.stringify({ ...document, broker }) };
}

/**
 * The broker with its endpoint, and with decrypted credentials. Credentials that cannot be decrypted are marked as
 * such.
 */
export function openedBroker(
  broker: BrokerConfiguration,
  { encryption, s3Endpoint }: Opening,
): BrokerConfiguration {
  if (broker.type !== 'objstore') return broker;
  const full = { ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }), ...broker };
  try {
    return withOpenedCredentials(full, encryption, WORKSPACE_CREDENTIALS);
  } catch {
    return { ...full, credentials: UNREADABLE as never };
  }
}
