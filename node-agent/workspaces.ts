/**
 * Opens brokers for the workspaces that work names. One broker a workspace and configuration, kept while it
 * is used.
 */
import { AppError } from '../src/domain/errors.ts';
import type { WorkspaceRef } from '../src/domain/node/coordinator-messages.ts';
import type { Broker } from '../src/storage/broker.ts';
import { createHostBroker } from '../src/storage/host.ts';

// limit: brokers kept; the one used longest ago goes first.
const BROKERS_MAX = 256;

export class Workspaces {
  readonly #agentId: string;
  readonly #declared: ReadonlySet<string>;
  readonly #brokers = new Map<string, { configuration: string; broker: Broker }>();

  /** `declared`: uuids of workspaces whose directories are theirs by configuration, marker or not. */
  constructor(agentId: string, declared: readonly string[]) {
    this.#agentId = agentId;
    this.#declared = new Set(declared);
  }

  /** Throws AppError WORKSPACE_UNAVAILABLE for a kind of storage that this agent does not know. */
  open(workspace: WorkspaceRef): Broker {
    const known = this.#brokers.get(workspace.uuid);
    this.#brokers.delete(workspace.uuid);
    const { configuration } = workspace;
    const broker = known?.configuration === configuration ? known.broker : this.#create(workspace);
    this.#brokers.set(workspace.uuid, { configuration, broker });
    const [oldest] = this.#brokers.keys();
    if (this.#brokers.size > BROKERS_MAX && oldest !== undefined) this.#brokers.delete(oldest);
    return broker;
  }

  #create(workspace: WorkspaceRef): Broker {
    const configuration = readBroker(workspace);
    if (configuration.type !== 'host' || typeof configuration.host_path !== 'string') {
      const kind = String(configuration.type);
      throw new AppError('WORKSPACE_UNAVAILABLE', `this agent has no broker of type ${kind}`, {
        uuid: workspace.uuid,
      });
    }
    return createHostBroker({
      workspaceUuid: workspace.uuid,
      root: configuration.host_path,
      agentId: this.#agentId,
      isDeclared: this.#declared.has(workspace.uuid),
    });
  }
}

/** The broker of the configuration, which may be the whole document of a workspace or its broker alone. */
function readBroker({ uuid, configuration }: WorkspaceRef): Record<string, unknown> {
  try {
    const document = JSON.parse(configuration) as Record<string, unknown>;
    return (document.broker ?? document) as Record<string, unknown>;
  } catch (error) {
    throw new AppError(
      'WORKSPACE_UNAVAILABLE',
      'the configuration of a workspace is no JSON',
      { uuid },
      { cause: error },
    );
  }
}
