/**
 * The records of launches that the agent has accepted, in the journal. A task starts only when its launch is recorded,
 * because otherwise a restarted agent could start it again.
 *
 * Under a coordinator that compares the ids of the host's boots (`Welcome.comparesBoots`) a record is written and not
 * synced: a killed agent finds it, and after a power loss, which takes all tasks with it, the coordinator ends those
 * that the agent has no record of. Coordinators of earlier versions launch such tasks again. So the boot in which
 * records are not synced is noted durably beforehand. With a coordinator of an earlier version, in the same boot, all
 * is synced and the note removed. In a later boot the agent uses another id for its node, so that such a coordinator
 * ends everything that ran there.
 */
import type { Welcome } from '../../src/domain/node/coordinator-messages.ts';
import type { Logger } from '../../src/observe/log.ts';
import type { Journal } from '../data/journal.ts';
import type { StoredLaunch } from './task-spec.ts';

const PREFIX = 'launch:';
/** The boot in which records are not synced. */
const UNSYNCED = 'boot-unsynced';
/** The id that the agent has in place of its folder's. */
const AGENT = 'agent-id';

export interface LaunchRecordsOptions {
  readonly journal: Journal;
  /** The id of the agent's folder. */
  readonly agentId: string;
  /** The id of the host's present boot; '' if unknown, in which case every record is synced. */
  readonly bootId: string;
  readonly log: Logger;
}

export class LaunchRecords {
  readonly bootId: string;
  readonly #options: LaunchRecordsOptions;
  #agentId: string;
  #unsyncedBootId: string | undefined;
  #isSynced = true;
  /** Resolves when the note of this boot is durable; absent: this run of the agent has not written it. */
  #noted: Promise<void> | undefined;
  #welcomes = 0;

  constructor(options: LaunchRecordsOptions) {
    const { journal, agentId, bootId } = options;
    this.#options = options;
    this.bootId = bootId;
    const notes = new Map([...journal.entries(UNSYNCED), ...journal.entries(AGENT)]);
    this.#unsyncedBootId = notes.get(UNSYNCED) as string | undefined;
    this.#agentId = (notes.get(AGENT) as string | undefined) ?? agentId;
  }

  /** The id that the agent sends for its node. */
  get agentId(): string {
    return this.#agentId;
  }

  /** Recorded launches, oldest first. */
  all(): StoredLaunch[] {
    return [...this.#options.journal.entries(PREFIX)].map(([, value]) => value as StoredLaunch);
  }

  /** Resolves when the task may start. */
  async keep(stored: StoredLaunch): Promise<void> {
    const { journal } = this.#options;
    const key = `${PREFIX}${stored.launch.executionId}`;
    if (this.#isSynced) return journal.append(key, stored);
    this.#unsyncedBootId = this.bootId;
    this.#noted ??= journal.append(UNSYNCED, this.bootId);
    await Promise.all([this.#noted, journal.write(key, stored)]);
  }

  forget(executionId: number): void {
    this.#options.journal.forget(`${PREFIX}${executionId}`);
  }

  /** Called with each welcome. Returns the reason if the agent has to send another hello before it accepts work. */
  welcomed({ comparesBoots }: Pick<Welcome, 'comparesBoots'>): string | undefined {
    const { journal, agentId, log } = this.#options;
    this.#welcomes += 1;
    this.#isSynced = !comparesBoots || this.bootId === '';
    if (comparesBoots || this.#unsyncedBootId === undefined) return undefined;
    if (this.#unsyncedBootId === this.bootId) {
      const welcome = this.#welcomes;
      void journal.sync().then(() => welcome === this.#welcomes && this.#forgetNote());
      return undefined;
    }
    // Derived from the folder's id, so that it does not grow.
    this.#agentId = `${agentId}+${this.bootId}`;
    this.#unsyncedBootId = undefined;
    void journal.append(AGENT, this.#agentId).then(() => {
      if (this.#unsyncedBootId === undefined) journal.forget(UNSYNCED);
    });
    const reason = 'the host was restarted, and this coordinator would launch again what the agent has lost';
    log.warn('agent_id_changed', { agentId: this.#agentId, reason });
    return reason;
  }

  #forgetNote(): void {
    this.#unsyncedBootId = undefined;
    this.#noted = undefined;
    this.#options.journal.forget(UNSYNCED);
  }
}
