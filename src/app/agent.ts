/** The node-agent as a program of ours runs it: its configuration from the settings. */
import { join } from 'node:path';
import { type Agent, startAgent } from '../../node-agent/agent.ts';
import { systemClock } from '../../node-agent/clock.ts';
import { AGENT_DEFAULTS, type AgentConfig } from '../../node-agent/config.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../lib/logger.ts';
import { createRng } from './random.ts';

export interface AgentProgram {
  readonly config: Config;
  readonly version: string;
  /** Coordinators: `host:port` or `unix:/path`. */
  readonly addresses: readonly string[];
  readonly joinToken: string;
  readonly log: Logger;
}

export function startAgentProgram(program: AgentProgram): Promise<Agent> {
  const { config, version, addresses, joinToken, log } = program;
  const agentConfig: AgentConfig = {
    ...AGENT_DEFAULTS,
    nodeName: config.nodeName,
    version,
    folder: join(config.dataDir, 'agent'),
    addresses,
    joinToken,
    labels: config.labels,
    executors: config.executors,
    docker: { ...AGENT_DEFAULTS.docker, host: config.dockerHost },
    declaredWorkspaces: config.declaredWorkspaces,
  };
  return startAgent({ config: agentConfig, log, clock: systemClock, random: createRng() });
}
