/** The simulated agent is held to the real one: the same conversations, under several orders of things. */
import t from 'tap';
import { agentConformance } from '../../conformance/agent/agent.ts';
import { SimBed } from './sim-bed.ts';

for (const seed of [1, 2, 3]) agentConformance(t, `simulated agent ${seed}`, async () => new SimBed(seed));
