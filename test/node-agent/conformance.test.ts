/** The real agent, held to test/conformance/agent: what the simulated one is held to as well. */
import t from 'tap';
import { agentConformance } from '../conformance/agent/agent.ts';
import { needsDisks } from '../e2e/torture/small-disk.ts';
import { realBed } from '../support/agent/real-bed.ts';

// Most of them wait most of the time.
t.jobs = 3;

agentConformance(t, 'agent', realBed, needsDisks());
