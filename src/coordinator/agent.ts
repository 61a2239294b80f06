/** Starts the node-agent inside our program: translates the settings into its configuration. */
import { join } from 'node:path';
import { type Agent, startAgent } from '../../node-agent/agent.ts';
import { systemClock } from '../../node-agent/clock.ts';
import { AGENT_DEFAULTS, type AgentConfig } from '../../node-agent/config.ts';
import type { ObjectStoreConfig } from '../../node-agent/workspaces.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';
import { createRng } from './random.ts';

export interface AgentProgram {
  readonly config: Config;
  readonly version: string;
  /** Coordinators: `host:port` or `unix:/path`. */
  readonly addresses: readonly string[];
  readonly joinToken: string;
  readonly log: Logger;
  /** Ends a start that is waiting. */
  readonly stopping: AbortSignal;
}

export function startAgentProgram(program: AgentProgram): Promise<Agent> {
  const { config, version, addresses, joinToken, log, stopping } = program;
  const agentConfig: AgentConfig = {
    ...AGENT_DEFAULTS,
    nodeName: config.nodeName,
    version,
    folder: join(config.dataDir, 'agent'),
    addresses,
    joinToken,
    labels: config.labels,
    executors: config.executors,
    docker: { host: config.dockerHost },
    containers: {
      ...AGENT_DEFAULTS.containers,
      ...config.containers,
    },
    declaredWorkspaces: config.declaredWorkspaces,
    objectStore: objectStoreOf(config),
    ...(config.tls.isOn ? { tls: { folder: config.tls.folder } } : {}),
  };
  return startAgent({ config: agentConfig, log, clock: systemClock, random: createRng(), stopping });
}

function objectStoreOf({ s3Endpoint, awsKeys }: Config): ObjectStoreConfig {
  const roleKeys = awsKeys && {
    accessKeyId: awsKeys.accessKeyId.reveal(),
    secretAccessKey: awsKeys.secretAccessKey.reveal(),
    ...(awsKeys.sessionToken === undefined ? {} : { sessionToken: awsKeys.sessionToken.reveal() }),
  };
  return {
    ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }),
    ...(roleKeys === undefined ? {} : { roleKeys }),
  };
}
