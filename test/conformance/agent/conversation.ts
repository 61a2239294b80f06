/** One scripted conversation of the suite of agents. */
import type { Test } from 'tap';
import type { Talk } from './talk.ts';

export interface Conversation {
  readonly hold: (t: Test, talk: Talk) => Promise<unknown>;
  /** The agent is killed in it: a real one is a process of its own. */
  readonly isKilled?: boolean;
  /** A directory in it is protected: the host of a real one mounts it. */
  readonly isProtected?: boolean;
}
