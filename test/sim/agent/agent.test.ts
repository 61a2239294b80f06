/** The simulated agent passes the conformance suite of the real one, under several orders of events. */
import t from 'tap';
import { agentConformance } from '../../conformance/agent/agent.ts';
import { SimBed } from './sim-bed.ts';

for (const seed of [1, 2, 3]) agentConformance(t, `simulated agent ${seed}`, async () => new SimBed(seed));
